/** Invitations into a workspace, bound to an e-mail address, valid for 7 days and one use. */
import { randomBytes, randomUUID } from 'node:crypto'
import { canonicalEmail } from '@querent/contract/email-address'
import type { MembershipRights, RowFilter } from '@querent/contract/manage'
import type { Selectable } from 'kysely'
import { hashSecret } from './clients.ts'
import { createRowReader, type Row } from './columns.ts'
import type { Db, Writer } from './db.ts'
import { mayInvite } from './inviter-rights.ts'
import { invitationColumns } from './member-tables.ts'
import { findMember, setMember, writeRights } from './members.ts'
import type { Tables } from './tables.ts'
import { findUser } from './users.ts'
import { lockWorkspaceById } from './workspaces.ts'

export interface InvitationRow extends Row<typeof invitationColumns> {
  /** Only an open invitation can be accepted. */
  state: 'open' | 'expired' | 'accepted' | 'withdrawn'
}

export const invitationLifetimeMs = 7 * 24 * 60 * 60 * 1000
/** How long after its end the invitation page still says what happened. */
const keptAfterEndMs = 30 * 24 * 60 * 60 * 1000
const tokenPrefix = 'qri_'

const computeState = (row: Selectable<Tables['invitations']>): InvitationRow['state'] => {
  if (row.accepted_at !== null) return 'accepted'
  if (row.withdrawn_at !== null) return 'withdrawn'
  return row.expires_at <= Date.now() ? 'expired' : 'open'
}

const readColumns = createRowReader(invitationColumns)
const parseInvitation = (row: Selectable<Tables['invitations']>): InvitationRow => ({
  ...readColumns(row),
  state: computeState(row),
})

/**
 * Creates an invitation with two link tokens, stored as hashes. `token` is for the inviter. `mailedToken`
 * goes to the invited address only, so using it proves the address. Withdraws an earlier invitation of that
 * address to the workspace. `byMail: false`: no mail is sent, so the mailed token is void and does not count
 * for {@link mailWaitMs} (default true).
 */
export const createInvitation = async (
  writer: Writer,
  invitation: Pick<InvitationRow, 'workspaceId' | 'email' | 'roles' | 'invitedBy'> & {
    filter?: RowFilter | undefined
    rights?: MembershipRights | undefined
    byMail?: boolean
  },
): Promise<{ id: string; token: string; mailedToken: string; expiresAt: number }> => {
  const { db } = writer
  const { workspaceId, roles, filter, rights, invitedBy, byMail = true } = invitation
  const email = canonicalEmail(invitation.email)
  // Serializes invitations, so that the earlier one is visible.
  await lockWorkspaceById(db, workspaceId)
  const now = Date.now()
  await withdrawInvitationsTo(writer, workspaceId, email)
  const id = randomUUID()
  const [token, mailedToken] = [newToken(), newToken()]
  const expiresAt = now + invitationLifetimeMs
  await db
    .insertInto('invitations')
    .values({
      id,
      token_hash: hashSecret(token),
      mailed_hash: byMail ? hashSecret(mailedToken) : null,
      workspace_id: workspaceId,
      email,
      roles_json: JSON.stringify(roles),
      filter_json: filter === undefined ? null : JSON.stringify(filter),
      rights_json: writeRights(rights),
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

/**
 * Finds invitations in any state, because the page explains it. `mailed`: found by the token sent to the
 * invited address only.
 */
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
  return row && { ...parseInvitation(row), mailed: row.mailed_hash === hash }
}

const hourMs = 60 * 60 * 1000
const dayMs = 24 * hourMs
/** A workspace may send this many times the hourly limit of an address, per day. */
const workspaceMailsFactor = 20

/**
 * Returns milliseconds until one more invitation may be mailed; 0: now. An address receives at most `perHour`
 * an hour from all workspaces, and a workspace sends at most 20 times as many a day.
 */
export const mailWaitMs = async (
  db: Db,
  { workspaceId, email }: Pick<InvitationRow, 'workspaceId' | 'email'>,
  perHour: number,
): Promise<number> => {
  const now = Date.now()
  /** Returns the time until the oldest of the last `max` mails leaves the window. */
  const waitFor = async (column: 'email' | 'workspace_id', value: string, max: number, windowMs: number) => {
    const row = await db
      .selectFrom('invitations')
      .select('created_at')
      .where(column, '=', value)
      .where('mailed_hash', 'is not', null)
      .where('created_at', '>', now - windowMs)
      .orderBy('created_at', 'desc')
      .offset(max - 1)
      .limit(1)
      .executeTakeFirst()
    return row ? row.created_at + windowMs - now : 0
  }
  return Math.max(
    await waitFor('email', canonicalEmail(email), perHour, hourMs),
    await waitFor('workspace_id', workspaceId, perHour * workspaceMailsFactor, dayMs),
  )
}

/** Returns the invitation that this address can accept; there is at most one. */
export const findOpenInvitation = async (
  db: Db,
  workspaceId: string,
  email: string,
): Promise<InvitationRow | undefined> => {
  const row = await db
    .selectFrom('invitations')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('email', '=', canonicalEmail(email))
    .where('accepted_at', 'is', null)
    .where('withdrawn_at', 'is', null)
    .where('expires_at', '>', Date.now())
    .executeTakeFirst()
  return row && parseInvitation(row)
}

/**
 * Lists invitations neither accepted nor withdrawn, including expired ones, after the address `after`; one
 * for each address.
 */
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
  return rows.map(parseInvitation)
}

/** Lists all invitations of an address in any state, newest first, at most 10,000. */
export const listInvitationsTo = async (db: Db, email: string): Promise<InvitationRow[]> => {
  const rows = await db
    .selectFrom('invitations')
    .selectAll()
    .where('email', '=', canonicalEmail(email))
    .orderBy('created_at', 'desc')
    .limit(10_000)
    .execute()
  return rows.map(parseInvitation)
}

/**
 * Makes the person a member. Returns false and does nothing unless the invitation is open, its inviter may still invite, and the user's
 * address is the invited one. Only one of two concurrent calls succeeds. An existing member keeps their roles
 * and row filter.
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
  // After the update, which waits for a removal of the inviter that withdraws this invitation.
  if (!(await mayInvite(db, row.workspace_id, row.invited_by))) {
    await db
      .updateTable('invitations')
      .set({ accepted_at: null, withdrawn_at: now })
      .where('id', '=', id)
      .execute()
    return false
  }
  const { workspaceId, roles, filter, rights } = parseInvitation(row)
  if (!(await findMember(db, workspaceId, userId)))
    await setMember(writer, { workspaceId, subject: userId, kind: 'user', roles, filter, rights })
  return true
}

/**
 * Returns the invitation as it was; undefined if the workspace has none of this id that is neither accepted
 * nor withdrawn.
 */
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
  return row && parseInvitation(row)
}

/** Withdraws the invitation of an address to a workspace, unless it was accepted. */
export const withdrawInvitationsTo = async (
  { db }: Writer,
  workspaceId: string,
  email: string,
): Promise<void> => {
  await db
    .updateTable('invitations')
    .set({ withdrawn_at: Date.now() })
    .where('workspace_id', '=', workspaceId)
    .where('email', '=', canonicalEmail(email))
    .where('accepted_at', 'is', null)
    .where('withdrawn_at', 'is', null)
    .execute()
}

/** Removes all invitations of an address. */
export const removeInvitationsTo = async ({ db }: Writer, email: string): Promise<void> => {
  await db.deleteFrom('invitations').where('email', '=', canonicalEmail(email)).execute()
}

export const pruneInvitations = async (db: Db): Promise<void> => {
  await db
    .deleteFrom('invitations')
    .where('expires_at', '<', Date.now() - keptAfterEndMs)
    .execute()
}
