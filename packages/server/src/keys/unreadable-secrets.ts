/** Counts stored secrets that were encrypted with an earlier key of the server: nobody can use them any more. */
import type { Db } from '#storage/db'
import type { Keyring } from './keyring.ts'
import { type SealedColumn, sealedColumns } from './sealed-columns.ts'

/** Secrets of one column that the current key cannot decrypt. */
export interface UnreadableSecrets extends Pick<SealedColumn, 'name' | 'untilReplacedBy'> {
  /** Number and noun, such as `2 authenticator apps`, or `at least 400 texts of the query log`. */
  text: string
}

/**
 * Columns with unreadable secrets only. Reads every secret of people and workspaces, and of those that expire the newest 1,000 of a column, in
 * batches between which other requests run.
 */
export const createUnreadableCount =
  (keyring: Pick<Keyring, 'derive'>) =>
  async (db: Db): Promise<UnreadableSecrets[]> => {
    const unreadable: UnreadableSecrets[] = []
    for (const { name, label, untilReplacedBy, countUnreadable } of sealedColumns) {
      const { count, isMinimum } = (await countUnreadable?.(db, keyring)) ?? { count: 0, isMinimum: false }
      const text = `${isMinimum ? 'at least ' : ''}${count} ${label[count === 1 ? 0 : 1]}`
      if (count > 0) unreadable.push({ name, untilReplacedBy, text })
    }
    return unreadable
  }

/** Advice to the operator about unreadable secrets. */
export const unreadableAdvice =
  'stop the servers and run `querent keys re-encrypt` with the earlier key in QUERENT_OLD_KEY'
