/** Removes expired rows, and shrinks records of earlier versions. */
import { databaseTime, type Storage } from './db.ts'
import { pruneImports } from './imports.ts'
import { pruneInvitations } from './invitations.ts'
import { pruneMails } from './mails.ts'
import { pruneRecords } from './oidc-records.ts'
import { pruneOneTimeLinks } from './one-time-links.ts'
import { pruneProviderTokens } from './provider-tokens.ts'
import { shrinkReplacedTokens } from './replaced-tokens.ts'
import { pruneRevocations } from './revocations.ts'
import { pruneThrottles } from './throttles.ts'
import { pruneUsage } from './usage.ts'
import { pruneWorkspaceHistory } from './workspace-history.ts'

/** Revocations outlive their tokens by the difference of clocks. */
const clockSlackMs = 5 * 60 * 1000

/** Storages whose refresh tokens were already shrunk; newer ones are small from the start. */
const shrunkStorages = new WeakSet<Storage>()

/** Runs once in the life of a process. */
const shrinkOnce = async (storage: Storage): Promise<void> => {
  if (shrunkStorages.has(storage)) return
  shrunkStorages.add(storage)
  await shrinkReplacedTokens(storage).catch(error => {
    shrunkStorages.delete(storage)
    throw error
  })
}

/**
 * Prunes by this machine's clock. If the clock is too far ahead of the database's, nothing is removed,
 * because other nodes still need it. Throws if the storage does not answer.
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
    pruneMails(db),
    pruneOneTimeLinks(db),
    pruneProviderTokens(db),
    pruneThrottles(db),
    pruneUsage(db),
    pruneWorkspaceHistory(db),
  ])
  await storage.eraseRemoved()
  await shrinkOnce(storage)
}
