/** Forgets what has expired. */
import { databaseTime, type Storage } from './db.ts'
import { pruneImports } from './imports.ts'
import { pruneInvitations } from './invitations.ts'
import { pruneRecords } from './oidc-records.ts'
import { pruneOneTimeLinks } from './one-time-links.ts'
import { pruneRevocations } from './revocations.ts'
import { pruneThrottles } from './throttles.ts'
import { pruneUsage } from './usage.ts'

/** Revocations outlive the tokens they concern by the clocks' difference. */
const clockSlackMs = 5 * 60 * 1000

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
}
