/** Writes the last use of secrets in the background. */
import type { Log } from '#oauth/provider/interaction-types'
import type { SecretUses } from './secrets.ts'

/** Interval between writes. */
const flushIntervalMs = 5000

/** Returns a function that stops it. Never runs two writes at once; retries after a failure. */
export const startLastUsedFlush = (secretUses: SecretUses, log: Log): (() => void) => {
  let isRunning = false
  const timer = setInterval(() => {
    if (isRunning) return
    isRunning = true
    secretUses
      .flush()
      .catch((error: unknown) => log.warn({ err: error }, 'the last uses of secrets could not be written'))
      .finally(() => {
        isRunning = false
      })
  }, flushIntervalMs)
  timer.unref()
  return () => clearInterval(timer)
}
