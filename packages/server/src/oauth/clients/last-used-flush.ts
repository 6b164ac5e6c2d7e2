/** What is done beside requests: writing when secrets were used. */
import type { Log } from '#oauth/provider/interaction-types'
import type { SecretUses } from './secrets.ts'

/** How often uses of secrets are written. */
const flushIntervalMs = 5000

/** Returns how to stop. Never writes twice at once; a failure is tried again. */
export const startLastUsedFlush = (secretUses: SecretUses, log: Log): (() => void) => {
  let isRunning = false
  const timer = setInterval(() => {
    if (isRunning) return
    isRunning = true
    secretUses
      .flush()
      .catch((error: unknown) => log.warn({ err: error }, 'upkeep of the authorization server failed'))
      .finally(() => {
        isRunning = false
      })
  }, flushIntervalMs)
  timer.unref()
  return () => clearInterval(timer)
}
