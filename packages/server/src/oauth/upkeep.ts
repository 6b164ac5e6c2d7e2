/** What is done beside requests: writing when secrets were used, removing what has expired. */
import type { Storage } from '#storage/db'
import { pruneRecords } from '#storage/oidc-records'
import { pruneRevocations } from '#storage/revocations'
import type { Log } from './replies.ts'
import type { SecretUses } from './secrets.ts'

/** How often uses of secrets are written. */
const usesEveryMs = 5000
/** How often what has expired is removed. */
const pruneEveryMs = 10 * 60 * 1000
const clockSlackMs = 2 * 60 * 1000

/** Returns how to stop. */
export const startUpkeep = (storage: Storage, uses: SecretUses, log: Log): (() => void) => {
  const prune = async () => {
    await pruneRecords(storage.db)
    await pruneRevocations(storage.db, clockSlackMs)
  }
  const stops = [repeat(usesEveryMs, () => uses.flush(), log), repeat(pruneEveryMs, prune, log)]
  return () => {
    for (const stop of stops) stop()
  }
}

/** Runs `work` every so often, never twice at once; a failure is tried again. Returns how to stop. */
const repeat = (everyMs: number, work: () => Promise<void>, log: Log): (() => void) => {
  let running = false
  const timer = setInterval(() => {
    if (running) return
    running = true
    work()
      .catch((error: unknown) => log.warn({ err: error }, 'upkeep of the authorization server failed'))
      .finally(() => {
        running = false
      })
  }, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}
