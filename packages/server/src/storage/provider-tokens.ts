/**
 * Refresh tokens of workspaces' own OpenID providers, encrypted, one for each sign-in there. Many providers replace the token at each use and
 * take a second use of the old one for theft. So one node at a time uses it, under a lease in its row.
 */
import { createRowReader, type Row } from './columns.ts'
import type { Db } from './db.ts'
import { providerTokenColumns } from './provider-tables.ts'

export type ProviderTokenRow = Row<typeof providerTokenColumns>

const readToken = createRowReader(providerTokenColumns)

export const addProviderToken = async (
  db: Db,
  row: { id: string; workspaceId: string; userId: string; encryptedToken: string; expiresAt: number },
): Promise<void> => {
  await db
    .insertInto('provider_tokens')
    .values({
      id: row.id,
      workspace_id: row.workspaceId,
      user_id: row.userId,
      encrypted_token: row.encryptedToken,
      lease: null,
      answered_at: Date.now(),
      expires_at: row.expiresAt,
    })
    .execute()
}

export const findProviderToken = async (db: Db, id: string): Promise<ProviderTokenRow | undefined> => {
  const row = await db
    .selectFrom('provider_tokens')
    .selectAll()
    .where('id', '=', id)
    .where('expires_at', '>', Date.now())
    .executeTakeFirst()
  return row && readToken(row)
}

/** Takes the lease. Returns false if the row is not as it was `seen`: one of several concurrent calls succeeds. */
export const leaseProviderToken = async (
  db: Db,
  id: string,
  lease: string,
  seen: ProviderTokenRow,
): Promise<boolean> => {
  const { numUpdatedRows } = await db
    .updateTable('provider_tokens')
    .set({ lease })
    .where('id', '=', id)
    .where('encrypted_token', '=', seen.encryptedToken)
    .where('lease', seen.lease === undefined ? 'is' : '=', seen.lease ?? null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Saves the token that replaces the one in use. */
export const replaceProviderToken = async (
  db: Db,
  id: string,
  lease: string,
  encryptedToken: string,
): Promise<void> => {
  await db
    .updateTable('provider_tokens')
    .set({ encrypted_token: encryptedToken })
    .where('id', '=', id)
    .where('lease', '=', lease)
    .execute()
}

/** Gives up the lease. */
export const releaseProviderToken = async (db: Db, id: string, lease: string): Promise<void> => {
  await db
    .updateTable('provider_tokens')
    .set({ lease: null, answered_at: Date.now() })
    .where('id', '=', id)
    .where('lease', '=', lease)
    .execute()
}

export const removeProviderToken = async (db: Db, id: string): Promise<void> => {
  await db.deleteFrom('provider_tokens').where('id', '=', id).execute()
}

/** Forgets the tokens of the user at the providers of the workspace. */
export const removeUserProviderTokens = async (
  db: Db,
  workspaceId: string,
  userId: string,
): Promise<void> => {
  await db
    .deleteFrom('provider_tokens')
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .execute()
}

/** Removes expired tokens. */
export const pruneProviderTokens = async (db: Db): Promise<void> => {
  await db.deleteFrom('provider_tokens').where('expires_at', '<', Date.now()).execute()
}
