/** Invitations and registration tokens of a person work as long as that person may give them (authorization-server.md, Invitations). */
import type { Db, Writer } from './db.ts'
import { findMember } from './members.ts'
import { findUser } from './users.ts'
import { findWorkspaceNames } from './workspaces.ts'

/** Whether the person may invite people and create registration tokens: an enabled administrator or operator. */
export const mayInvite = async (db: Db, workspaceId: string, userId: string): Promise<boolean> => {
  const user = await findUser(db, userId)
  if (!user || user.disabled === 1) return false
  if (user.operator === 1) return true
  const member = await findMember(db, workspaceId, userId)
  const hasEnded = member?.endsAt !== null && member?.endsAt !== undefined && member.endsAt <= Date.now()
  return member?.roles.includes('administrator') === true && !hasEnded
}

/** Names of what no longer works, by the slug of its workspace. */
export interface WithdrawnAccess {
  invitations: { workspace: string; email: string }[]
  registrationTokens: { workspace: string; name: string }[]
}

/**
 * Withdraws the open invitations and removes the registration tokens of a person, in all workspaces or in the one where they lost the right
 * to give them. Call it in the transaction of that change, after it. Returns undefined if there were none.
 */
export const withdrawAccess = async (
  { db }: Writer,
  userId: string,
  workspaceId?: string,
): Promise<WithdrawnAccess | undefined> => {
  if (workspaceId !== undefined && (await mayInvite(db, workspaceId, userId))) return undefined
  const now = Date.now()
  let withdrawal = db
    .updateTable('invitations')
    .set({ withdrawn_at: now })
    .where('invited_by', '=', userId)
    .where('accepted_at', 'is', null)
    .where('withdrawn_at', 'is', null)
    .where('expires_at', '>', now)
  let removal = db.deleteFrom('registration_tokens').where('created_by', '=', userId)
  if (workspaceId !== undefined) {
    withdrawal = withdrawal.where('workspace_id', '=', workspaceId)
    removal = removal.where('workspace_id', '=', workspaceId)
  }
  const invitations = await withdrawal.returning(['workspace_id', 'email']).execute()
  const tokens = await removal.returning(['workspace_id', 'name']).execute()
  if (invitations.length + tokens.length === 0) return undefined
  const ids = [...new Set([...invitations, ...tokens].map(row => row.workspace_id))]
  const names = await findWorkspaceNames(db, ids)
  const readSlug = (row: { workspace_id: string }) => names.get(row.workspace_id)?.slug ?? ''
  return {
    invitations: invitations.map(row => ({ workspace: readSlug(row), email: row.email })),
    registrationTokens: tokens.map(row => ({ workspace: readSlug(row), name: row.name })),
  }
}
