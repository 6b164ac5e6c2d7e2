/** What is done beside requests: writing when secrets were used. */
import type { Log } from './replies.ts'
import type { SecretUses } from './secrets.ts'

/** How often uses of secrets are written. */
const usesEveryMs = 5000

/** Returns how to stop. Never writes twice at once; a failure is tried again. */
export const startUpkeep = (uses: SecretUses, log: Log): (() => void) => {
  let running = false
  const timer = setInterval(() => {
    if (running) return
    running = true
    uses
      .flush()
      .catch((error: unknown) => log.warn({ err: error }, 'upkeep of the authorization server failed'))
      .finally(() => {
        running = false
      })
  }, usesEveryMs)
  timer.unref()
  return () => clearInterval(timer)
}
