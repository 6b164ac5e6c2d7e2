/** Initial access tokens, with which applications register themselves (RFC 7591, section 3). */
import { randomBytes, randomUUID } from 'node:crypto'
import { registrationTokenColumns } from './client-tables.ts'
import { hashSecret } from './clients.ts'
import { createRowReader, type Row } from './columns.ts'
import type { Db, Writer } from './db.ts'
import { mayInvite } from './inviter-rights.ts'

/** Times are milliseconds since 1970. */
export type RegistrationTokenRow = Row<typeof registrationTokenColumns>

const readToken = createRowReader(registrationTokenColumns)

const tokenPrefix = 'qrr_'

/** Creates a token, stored as a hash. */
export const createRegistrationToken = async (
  { db }: Pick<Writer, 'db'>,
  {
    createdBy,
    ...created
  }: Pick<RegistrationTokenRow, 'workspaceId' | 'name' | 'usesMax' | 'expiresAt'> & { createdBy?: string },
): Promise<RegistrationTokenRow & { token: string }> => {
  const token = `${tokenPrefix}${randomBytes(32).toString('base64url')}`
  const row = { ...created, id: randomUUID(), uses: 0, createdAt: Date.now() }
  await db
    .insertInto('registration_tokens')
    .values({
      id: row.id,
      workspace_id: row.workspaceId,
      name: row.name,
      hash: hashSecret(token),
      uses: 0,
      uses_max: row.usesMax,
      expires_at: row.expiresAt,
      created_at: row.createdAt,
      created_by: createdBy ?? null,
    })
    .execute()
  return { ...row, token }
}

/** Lists tokens in the order of their ids, after `afterId`. */
export const listRegistrationTokens = async (
  db: Db,
  workspaceId: string,
  afterId: string | undefined,
  count: number,
): Promise<RegistrationTokenRow[]> => {
  const rows = await db
    .selectFrom('registration_tokens')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '>', afterId ?? '')
    .orderBy('id')
    .limit(count)
    .execute()
  return rows.map(readToken)
}

/** Returns the name of the removed token; undefined if the workspace has no such token. */
export const removeRegistrationToken = async (
  { db }: Pick<Writer, 'db'>,
  workspaceId: string,
  id: string,
): Promise<string | undefined> => {
  const row = await db
    .deleteFrom('registration_tokens')
    .where('id', '=', id)
    .where('workspace_id', '=', workspaceId)
    .returning('name')
    .executeTakeFirst()
  return row?.name
}

/** Returns the token's workspace if it may still register an application, and its creator may. Counts nothing. */
export const findRegistrationToken = async (
  db: Db,
  token: string,
): Promise<{ id: string; workspaceId: string } | undefined> => {
  const row = await db
    .selectFrom('registration_tokens')
    .select(['id', 'workspace_id', 'created_by'])
    .where('hash', '=', hashSecret(token))
    .where('expires_at', '>', Date.now())
    .whereRef('uses', '<', 'uses_max')
    .executeTakeFirst()
  if (!row || !(await mayCreatorInvite(db, row))) return undefined
  return { id: row.id, workspaceId: row.workspace_id }
}

/** Tokens without a recorded creator work until they expire. */
const mayCreatorInvite = async (
  db: Db,
  { workspace_id, created_by }: { workspace_id: string; created_by: string | null },
): Promise<boolean> => created_by === null || mayInvite(db, workspace_id, created_by)

/**
 * Counts one use. Returns false if the token has expired, is used up, or was removed, or if its creator may not register applications any
 * more: of concurrent uses only the allowed ones count.
 */
export const useRegistrationToken = async ({ db }: Pick<Writer, 'db'>, id: string): Promise<boolean> => {
  const row = await db
    .updateTable('registration_tokens')
    .set(({ eb }) => ({ uses: eb('uses', '+', 1) }))
    .where('id', '=', id)
    .where('expires_at', '>', Date.now())
    .whereRef('uses', '<', 'uses_max')
    .returning(['workspace_id', 'created_by'])
    .executeTakeFirst()
  return row !== undefined && mayCreatorInvite(db, row)
}
