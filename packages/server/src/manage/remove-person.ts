/** Removes a person with everything that is theirs. */
import type { Withdrawal } from '@querent/contract/manage'
import { Problem } from '#errors'
import type { Writer } from '#storage/db'
import { endUserGrants } from '#storage/grants'
import { removeAccountImports } from '#storage/imports'
import { removeInvitationsTo } from '#storage/invitations'
import { listMemberships, removeMember } from '#storage/members'
import { removeAccountRefusals } from '#storage/refusals'
import { signOut } from '#storage/sessions'
import { removeUser, type UserRow } from '#storage/users'
import { findWorkspaceNames } from '#storage/workspaces'

import { endAccess } from './end-access.ts'

/**
 * Tokens stop at once. Documents stay, and so do entries of the audit log. Throws 409 with all workspaces whose last administrator the person
 * is. Returns what it withdrew of the person's invitations and registration tokens.
 */
export const removePerson = async (writer: Writer, user: UserRow): Promise<Withdrawal | undefined> => {
  await endMemberships(writer, user)
  const withdrawal = await endAccess(writer, user.id)
  await signOut(writer, user.id)
  await endUserGrants(writer, user.id)
  await removeInvitationsTo(writer, user.email)
  await removeAccountRefusals(writer.db, user.id)
  await removeAccountImports(writer.db, user.id)
  await removeUser(writer, user.id)
  return withdrawal
}

const endMemberships = async (writer: Writer, { id, email }: UserRow): Promise<void> => {
  const heldWorkspaceIds: string[] = []
  for (const { workspaceId } of await listMemberships(writer.db, id))
    try {
      await removeMember(writer, workspaceId, id)
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'conflict') throw error
      heldWorkspaceIds.push(workspaceId)
    }
  if (heldWorkspaceIds.length === 0) return
  const workspaces = await findWorkspaceNames(writer.db, heldWorkspaceIds)
  const slugs = [...workspaces.values()].map(({ slug }) => slug).toSorted()
  throw new Problem(
    'conflict',
    `${email} is the last administrator of ${slugs.join(', ')}: add another administrator, or delete the workspace, first`,
  )
}
