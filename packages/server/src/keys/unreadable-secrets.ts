/** Counts stored secrets that were encrypted with an earlier key of the server: nobody can use them any more. */
import type { Db } from '#storage/db'
import type { Keyring } from './keyring.ts'
import { type SealedColumn, sealedColumns } from './sealed-columns.ts'

/** Secrets of one column that the current key cannot decrypt. */
export interface UnreadableSecrets extends Pick<SealedColumn, 'name' | 'untilReplacedBy'> {
  /** Number and noun, such as `2 authenticator apps`. */
  text: string
}

/** Columns with unreadable secrets only. Reads every secret, in batches between which other requests run. */
export const createUnreadableCount =
  (keyring: Pick<Keyring, 'derive'>) =>
  async (db: Db): Promise<UnreadableSecrets[]> => {
    const unreadable: UnreadableSecrets[] = []
    for (const { name, label, untilReplacedBy, countUnreadable } of sealedColumns) {
      const count = (await countUnreadable?.(db, keyring)) ?? 0
      if (count > 0)
        unreadable.push({ name, untilReplacedBy, text: `${count} ${label[count === 1 ? 0 : 1]}` })
    }
    return unreadable
  }

/** Advice to the operator about unreadable secrets. */
export const unreadableAdvice =
  'stop the servers and run `querent keys re-encrypt` with the earlier key in QUERENT_OLD_KEY'
