/** DPoP proofs that were used, until they would be refused as too old (authz/used-proofs.ts). */
import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db, Storage } from './db.ts'
import { storageNow } from './tables.ts'

export interface UsedProof {
  id: string
  /** Milliseconds since 1970. Follows from the proof, so that a replay has the same. */
  expiresAt: number
}

/** Adds proofs with different ids. Returns the ids that were not there. */
export const addUsedProofs = async (db: Db, proofs: readonly UsedProof[]): Promise<Set<string>> => {
  const added = await db
    .insertInto('dpop_proofs')
    .values(proofs.map(({ id, expiresAt }) => ({ id, expires_at: expiresAt })))
    .onConflict(c => c.columns(['expires_at', 'id']).doNothing())
    .returning('id')
    .execute()
  return new Set(added.map(({ id }) => id))
}

/** SQLite blocks the thread while deleting. */
const pruneBatchSize = 500

/** Removes expired proofs by the storage's clock, in batches between which other requests run. */
export const pruneUsedProofs = async ({ db, kind }: Pick<Storage, 'db' | 'kind'>): Promise<void> => {
  for (let pruned = pruneBatchSize; pruned === pruneBatchSize; ) {
    const { numDeletedRows } = await db
      .deleteFrom('dpop_proofs')
      .where(({ eb, refTuple, selectFrom }) =>
        eb(
          refTuple('expires_at', 'id'),
          'in',
          selectFrom('dpop_proofs')
            .select(['expires_at', 'id'])
            .where('expires_at', '<', sql<number>`${storageNow(kind)}`)
            .limit(pruneBatchSize)
            .$asTuple('expires_at', 'id'),
        ),
      )
      .executeTakeFirst()
    pruned = Number(numDeletedRows)
    await setImmediate()
  }
}
