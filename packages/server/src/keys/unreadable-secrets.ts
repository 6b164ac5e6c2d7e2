/** Finds stored secrets that were encrypted with an earlier `QUERENT_KEY`: nobody can use them any more. */
import type { Db } from '#storage/db'
import type { Keyring } from './keyring.ts'
import { createRecordEncryption } from './record-encryption.ts'

/** How many secrets the current key cannot decrypt. */
export interface UnreadableSecrets {
  authenticatorApps: number
  providerSecrets: number
}

export const createUnreadableCount = (keyring: Pick<Keyring, 'derive'>) => {
  const apps = createRecordEncryption(keyring, 'authenticator apps')
  const providers = createRecordEncryption(keyring, 'provider secrets')
  return async (db: Db): Promise<UnreadableSecrets> => ({
    authenticatorApps: await countUnreadable(
      apps,
      await db.selectFrom('authenticator_apps').select('encrypted_secret').execute(),
    ),
    providerSecrets: await countUnreadable(
      providers,
      await db.selectFrom('provider_secrets').select('encrypted_secret').execute(),
    ),
  })
}

const countUnreadable = async (
  encryption: ReturnType<typeof createRecordEncryption>,
  rows: readonly { encrypted_secret: string }[],
): Promise<number> => {
  let count = 0
  for (const row of rows) if (!(await encryption.isOfThisKey(row.encrypted_secret))) count++
  return count
}
