/** Workspaces' own OpenID providers: client secrets, and which user each person of a provider is. */
import { createRowReader, type Row } from './columns.ts'
import type { Db, Writer } from './db.ts'
import { identityColumns } from './provider-tables.ts'

/** The encrypted client secret (oauth/identity-provider/client-secrets.ts). Replaces an earlier one. */
export const saveProviderSecret = async (
  { db }: Pick<Writer, 'db'>,
  workspaceId: string,
  encryptedSecret: string,
): Promise<void> => {
  const row = { encrypted_secret: encryptedSecret, created_at: Date.now() }
  await db
    .insertInto('provider_secrets')
    .values({ workspace_id: workspaceId, ...row })
    .onConflict(c => c.column('workspace_id').doUpdateSet(row))
    .execute()
}

export const findProviderSecret = (
  db: Db,
  workspaceId: string,
): Promise<{ encrypted_secret: string; created_at: number } | undefined> =>
  db
    .selectFrom('provider_secrets')
    .select(['encrypted_secret', 'created_at'])
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst()

/** Returns false if there is none. */
export const removeProviderSecret = async (
  { db }: Pick<Writer, 'db'>,
  workspaceId: string,
): Promise<boolean> => {
  const { numDeletedRows } = await db
    .deleteFrom('provider_secrets')
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** A person at a provider. A subject means nothing at another issuer, or for another workspace. */
export interface ProviderPerson {
  workspaceId: string
  issuer: string
  subject: string
}

/** Returns the id of the user. */
export const findIdentity = async (
  db: Db,
  { workspaceId, issuer, subject }: ProviderPerson,
): Promise<string | undefined> => {
  const row = await db
    .selectFrom('provider_identities')
    .select('user_id')
    .where('workspace_id', '=', workspaceId)
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst()
  return row?.user_id
}

/** Whether another person of the issuer is this user. */
export const hasOtherIdentity = async (
  db: Db,
  { workspaceId, issuer, subject }: ProviderPerson,
  userId: string,
): Promise<boolean> =>
  (await db
    .selectFrom('provider_identities')
    .select('subject')
    .where('workspace_id', '=', workspaceId)
    .where('issuer', '=', issuer)
    .where('user_id', '=', userId)
    .where('subject', '!=', subject)
    .executeTakeFirst()) !== undefined

/** Records that the person is this user. Returns false if the person, or the user at this issuer, is linked otherwise. */
export const linkIdentity = async (
  { db }: Pick<Writer, 'db'>,
  { workspaceId, issuer, subject }: ProviderPerson,
  userId: string,
): Promise<boolean> => {
  const now = Date.now()
  await db
    .insertInto('provider_identities')
    .values({
      workspace_id: workspaceId,
      issuer,
      subject,
      user_id: userId,
      created_at: now,
      last_used_at: now,
    })
    .onConflict(c => c.doNothing())
    .execute()
  return (await findIdentity(db, { workspaceId, issuer, subject })) === userId
}

export const recordIdentityUse = async (
  { db }: Pick<Writer, 'db'>,
  { workspaceId, issuer, subject }: ProviderPerson,
): Promise<void> => {
  await db
    .updateTable('provider_identities')
    .set({ last_used_at: Date.now() })
    .where('workspace_id', '=', workspaceId)
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .execute()
}

/** Forgets who the user is at the providers of the workspace. */
export const removeIdentities = async (
  { db }: Pick<Writer, 'db'>,
  workspaceId: string,
  userId: string,
): Promise<void> => {
  await db
    .deleteFrom('provider_identities')
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .execute()
}

export type IdentityRow = Row<typeof identityColumns>

const readIdentity = createRowReader(identityColumns)

/** Lists who the user is at providers, oldest first. */
export const listIdentities = async (db: Db, userId: string): Promise<IdentityRow[]> => {
  const rows = await db
    .selectFrom('provider_identities')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .execute()
  return rows.map(readIdentity)
}
