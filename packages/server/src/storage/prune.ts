/** Forgets what has expired, and shrinks what earlier versions kept whole. */
import { databaseTime, type Storage } from './db.ts'
import { pruneImports } from './imports.ts'
import { pruneInvitations } from './invitations.ts'
import { pruneRecords } from './oidc-records.ts'
import { pruneOneTimeLinks } from './one-time-links.ts'
import { shrinkReplacedTokens } from './replaced-tokens.ts'
import { pruneRevocations } from './revocations.ts'
import { pruneThrottles } from './throttles.ts'
import { pruneUsage } from './usage.ts'

/** Revocations outlive the tokens they concern by the clocks' difference. */
const clockSlackMs = 5 * 60 * 1000

/** Those whose refresh tokens were looked at: what later ones leave is little from the start. */
const shrunk = new WeakSet<Storage>()

/** Once in the life of a process. */
const shrinkOnce = async (storage: Storage): Promise<void> => {
  if (shrunk.has(storage)) return
  shrunk.add(storage)
  await shrinkReplacedTokens(storage).catch(error => {
    shrunk.delete(storage)
    throw error
  })
}

/**
 * By this machine's clock. One that is further ahead of the database's than clocks may differ forgets nothing: other nodes still need it.
 * Throws when the storage does not answer.
 */
export const prune = async (storage: Storage): Promise<void> => {
  const time = await databaseTime(storage)
  if (time !== undefined && Date.now() - time > clockSlackMs) return
  const { db } = storage
  await Promise.all([
    pruneRecords(db),
    pruneRevocations(db, clockSlackMs),
    pruneImports(storage),
    pruneInvitations(db),
    pruneOneTimeLinks(db),
    pruneThrottles(db),
    pruneUsage(db),
  ])
  await shrinkOnce(storage)
}
