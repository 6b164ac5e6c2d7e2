/** `querent keys re-encrypt`: encrypts the secrets of a storage with a new key. */
import { existsSync } from 'node:fs'
import type { Config } from '#config/config'
import { deriveKey } from '#keys/keyring'
import { type ReencryptedCounts, type ServerKey, sealedColumns } from '#keys/sealed-columns'
import { connect } from '#storage/connection'
import { openStorageLocks } from '#storage/db'
import { openConfiguredStorage } from './configured-parts.ts'
import { requireInitialized, restrictUmask } from './main.ts'
import {
  DataFolderError,
  lockDataFolder,
  parseKey,
  readKey,
  refuseHalfRestored,
  UsageError,
} from './startup/data-folder.ts'

/** Rows of one column of the storage. */
export interface ReencryptedColumn extends ReencryptedCounts {
  /** `table.column`. */
  column: string
  /** Name of several rows, for people. */
  label: string
}

/**
 * Encrypts with the server's key everything that `oldKey` (base64) decrypts, in one transaction. A second call changes nothing. Throws an
 * error with one line for the operator; then nothing has changed. No server may use the storage meanwhile: a running one would write with
 * the old key, and an earlier version would meet the tables of this one.
 */
export const reencryptStorage = async (
  config: Config,
  oldKey: string | undefined,
): Promise<ReencryptedColumn[]> => {
  restrictUmask()
  const { data, storage: location } = config
  const isExternal = 'connection' in location
  const secretKey = await readKey(data, config.key, isExternal)
  if (oldKey === undefined) throw new UsageError('give the old key in QUERENT_OLD_KEY')
  const oldSecretKey = parseKey(oldKey, 'QUERENT_OLD_KEY')
  if (oldSecretKey.equals(secretKey))
    throw new UsageError(
      `QUERENT_OLD_KEY is the key of the server: put the new one into ${config.key === undefined ? 'the file key' : 'QUERENT_KEY'} first`,
    )
  refuseHalfRestored(data)
  // The key of an external storage may come from the environment, without a data folder.
  const unlock = existsSync(data) ? lockDataFolder(data) : () => {}
  try {
    await requireInitialized(config)
    const locks = openStorageLocks(location)
    try {
      // Every server holds this lock (main.ts).
      if (locks && !(await locks.keep('engine', 'exclusive', () => {})))
        throw new DataFolderError('a server uses this storage: stop all of its servers first')
      await migrateStorage(config)
      return await reencryptColumns(location, asServerKey(oldSecretKey), asServerKey(secretKey))
    } finally {
      await locks?.close()
    }
  } finally {
    unlock()
  }
}

const migrateStorage = async (config: Config): Promise<void> => {
  const storage = await openConfiguredStorage(config)
  await storage.close()
}

const asServerKey = (secretKey: Buffer): ServerKey => ({
  secretKey,
  derive: purpose => deriveKey(secretKey, purpose),
})

/** A connection without a time limit, because tables may be large. */
const reencryptColumns = async (
  location: Config['storage'],
  from: ServerKey,
  to: ServerKey,
): Promise<ReencryptedColumn[]> => {
  const { db } = connect(location)
  try {
    return await db.transaction().execute(async transaction => {
      const columns: ReencryptedColumn[] = []
      for (const { name, label, reencrypt } of sealedColumns)
        columns.push({ column: name, label: label[1], ...(await reencrypt(transaction, from, to)) })
      refuseWrongKey(columns)
      return columns
    })
  } finally {
    await db.destroy()
  }
}

/**
 * No server could start without its signing keys. Other secrets may be of a third key, also in a second run, which encrypts nothing again: the
 * command lists them.
 */
const refuseWrongKey = (columns: readonly ReencryptedColumn[]): void => {
  const unreadable = columns.filter(column => column.unreadable > 0)
  if (unreadable.some(({ column }) => column === 'signing_keys.encrypted_jwk'))
    throw new DataFolderError(
      `QUERENT_OLD_KEY is not the key of this storage: neither it nor the new key decrypts ${unreadable.map(({ unreadable: count, label }) => `${count} ${label}`).join(', ')}; nothing was changed`,
    )
}
