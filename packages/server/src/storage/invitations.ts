/** Invitations into a workspace: bound to an e-mail address, good for 7 days and one use (authorization-server.md, People and accounts). */
import { randomBytes, randomUUID } from 'node:crypto'
import type { Role, RowFilter } from '@querent/contract/manage'
import type { Selectable } from 'kysely'
import { hashSecret } from './clients.ts'
import type { Db, Writer } from './db.ts'
import { findMember, setMember } from './members.ts'
import type { Tables } from './tables.ts'
import { findUser, foldEmail } from './users.ts'
import { lockWorkspaceById } from './workspaces.ts'

export interface InvitationRow {
  id: string
  workspaceId: string
  /** Lower case. */
  email: string
  roles: Role[]
  filter: RowFilter | undefined
  /** Id of the user who invited. */
  invitedBy: string
  createdAt: number
  expiresAt: number
  /** Only an open one can be accepted. */
  state: 'open' | 'expired' | 'accepted' | 'withdrawn'
}

export const invitationLastsMs = 7 * 24 * 60 * 60 * 1000
/** So long after its end the page still tells what became of it. */
const keptAfterEndMs = 30 * 24 * 60 * 60 * 1000
const tokenPrefix = 'qri_'

const stateOf = (row: Selectable<Tables['invitations']>): InvitationRow['state'] => {
  if (row.accepted_at !== null) return 'accepted'
  if (row.withdrawn_at !== null) return 'withdrawn'
  return row.expires_at <= Date.now() ? 'expired' : 'open'
}

const read = (row: Selectable<Tables['invitations']>): InvitationRow => ({
  id: row.id,
  workspaceId: row.workspace_id,
  email: row.email,
  // Written by `createInvitation` alone.
  roles: JSON.parse(row.roles_json) as Role[],
  filter: row.filter_json === null ? undefined : (JSON.parse(row.filter_json) as RowFilter),
  invitedBy: row.invited_by,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  state: stateOf(row),
})

/**
 * The tokens are for the link, and stored as hashes: `token` for whoever invites, `mailedToken` for the invited address alone, so that
 * coming by it proves the address. An earlier invitation of the same address to the workspace is withdrawn.
 */
export const createInvitation = async (
  writer: Writer,
  invitation: Pick<InvitationRow, 'workspaceId' | 'email' | 'roles' | 'invitedBy'> & {
    filter?: RowFilter | undefined
  },
): Promise<{ id: string; token: string; mailedToken: string; expiresAt: number }> => {
  const { db } = writer
  const { workspaceId, roles, filter, invitedBy } = invitation
  const email = foldEmail(invitation.email)
  // The earlier one must be seen.
  await lockWorkspaceById(db, workspaceId)
  const now = Date.now()
  await withdrawInvitationsTo(writer, workspaceId, email)
  const id = randomUUID()
  const [token, mailedToken] = [newToken(), newToken()]
  const expiresAt = now + invitationLastsMs
  await db
    .insertInto('invitations')
    .values({
      id,
      token_hash: hashSecret(token),
      mailed_hash: hashSecret(mailedToken),
      workspace_id: workspaceId,
      email,
      roles_json: JSON.stringify(roles),
      filter_json: filter === undefined ? null : JSON.stringify(filter),
      invited_by: invitedBy,
      created_at: now,
      expires_at: expiresAt,
      accepted_at: null,
      withdrawn_at: null,
    })
    .execute()
  return { id, token, mailedToken, expiresAt }
}

const newToken = (): string => `${tokenPrefix}${randomBytes(32).toString('base64url')}`

/** Also one that is no longer open: its page says why. `mailed`: by the token that went to the invited address alone. */
export const findInvitationByToken = async (
  db: Db,
  token: string,
): Promise<(InvitationRow & { mailed: boolean }) | undefined> => {
  const hash = hashSecret(token)
  const row = await db
    .selectFrom('invitations')
    .selectAll()
    .where(e => e.or([e('token_hash', '=', hash), e('mailed_hash', '=', hash)]))
    .executeTakeFirst()
  return row && { ...read(row), mailed: row.mailed_hash === hash }
}

/** Those neither accepted nor withdrawn, expired ones too, in order of address, after `after`; one for each address. */
export const listInvitations = async (
  db: Db,
  workspaceId: string,
  after: string,
  count: number,
): Promise<InvitationRow[]> => {
  const rows = await db
    .selectFrom('invitations')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('accepted_at', 'is', null)
    .where('withdrawn_at', 'is', null)
    .where('email', '>', after)
    .orderBy('email')
    .limit(count)
    .execute()
  return rows.map(read)
}

/** All of one address, whatever became of them, newest first, at most 10,000. */
export const listInvitationsTo = async (db: Db, email: string): Promise<InvitationRow[]> => {
  const rows = await db
    .selectFrom('invitations')
    .selectAll()
    .where('email', '=', foldEmail(email))
    .orderBy('created_at', 'desc')
    .limit(10_000)
    .execute()
  return rows.map(read)
}

/**
 * Makes the person a member. Returns false, and does nothing, unless the invitation is open and the user's address is the invited one;
 * of two at the same time one succeeds. Who is a member by then keeps the roles and row filter they have.
 */
export const acceptInvitation = async (writer: Writer, id: string, userId: string): Promise<boolean> => {
  const { db } = writer
  const user = await findUser(db, userId)
  if (!user || user.disabled === 1) return false
  const now = Date.now()
  const row = await db
    .updateTable('invitations')
    .set({ accepted_at: now })
    .where('id', '=', id)
    .where('email', '=', user.email)
    .where('accepted_at', 'is', null)
    .where('withdrawn_at', 'is', null)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst()
  if (!row) return false
  const { workspaceId, roles, filter } = read(row)
  if (!(await findMember(db, workspaceId, userId)))
    await setMember(writer, { workspaceId, subject: userId, kind: 'user', roles, filter })
  return true
}

/** Returns it as it was, or undefined when the workspace has none of this id that is neither accepted nor withdrawn. */
export const withdrawInvitation = async (
  { db }: Writer,
  id: string,
  workspaceId?: string,
): Promise<InvitationRow | undefined> => {
  let update = db
    .updateTable('invitations')
    .set({ withdrawn_at: Date.now() })
    .where('id', '=', id)
    .where('accepted_at', 'is', null)
    .where('withdrawn_at', 'is', null)
  if (workspaceId !== undefined) update = update.where('workspace_id', '=', workspaceId)
  const row = await update.returningAll().executeTakeFirst()
  return row && read(row)
}

/** Withdraws what an address has in a workspace that is neither accepted nor withdrawn. */
export const withdrawInvitationsTo = async (
  { db }: Writer,
  workspaceId: string,
  email: string,
): Promise<void> => {
  await db
    .updateTable('invitations')
    .set({ withdrawn_at: Date.now() })
    .where('workspace_id', '=', workspaceId)
    .where('email', '=', foldEmail(email))
    .where('accepted_at', 'is', null)
    .where('withdrawn_at', 'is', null)
    .execute()
}

/** Forgets all invitations of an address. */
export const removeInvitationsTo = async ({ db }: Writer, email: string): Promise<void> => {
  await db.deleteFrom('invitations').where('email', '=', foldEmail(email)).execute()
}

export const pruneInvitations = async (db: Db): Promise<void> => {
  await db
    .deleteFrom('invitations')
    .where('expires_at', '<', Date.now() - keptAfterEndMs)
    .execute()
}
