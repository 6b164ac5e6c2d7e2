/** Invitations, by which people become members without an operator creating their account. */
import { describeFault } from '@querent/contract/fault-texts'
import type { Invitation } from '@querent/contract/manage'
import { Problem } from '#errors'
import { type InvitationRow, listInvitations, withdrawInvitation } from '#storage/invitations'
import { findMember } from '#storage/members'
import { findUserByEmail, findUsers } from '#storage/users'
import { audit, type Handler, type ManagementDependencies, timestamp } from './call.ts'
import { refuseBadFilter } from './input-rules.ts'
import { sendInvitation, storeInvitation } from './invite.ts'
import { refuseUnknownLanguage } from './mail-language.ts'
import { makePage, readPageQuery } from './pages.ts'
import { mergeRights, readLockedDefinition } from './rights-input.ts'
import { readNewEmail } from './validation-problem.ts'

export const invitationHandlers = {
  inviteMember: async (deps, call) => {
    const { workspace, input, principal } = call
    const { roles, filter, language, mail = true } = input
    refuseUnknownLanguage(language)
    const email = readNewEmail(input.email)
    const invitedBy = principal.subject
    refuseBadFilter(workspace.definition, filter)
    const stored = await deps.storage.write(async writer => {
      const user = await findUserByEmail(writer.db, email)
      if (user && (await findMember(writer.db, workspace.id, user.id)))
        throw new Problem('conflict', `${email} is already a member of this workspace`, {
          errors: [{ path: 'body.email', ...describeFault('already-a-member') }],
        })
      const rights = mergeRights(await readLockedDefinition(writer, workspace), undefined, input)
      const invited = { workspaceId: workspace.id, email, roles, filter, rights, invitedBy }
      const invitation = await storeInvitation(writer, deps, invited, mail ? 'required' : 'none')
      await audit(writer, call, {
        workspaceId: workspace.id,
        target: email,
        detail: { roles, filter, ...rights },
      })
      return invitation
    })
    const { requestId } = call.origin
    return sendInvitation(deps, stored, { workspaceTitle: workspace.title, invitedBy, language, requestId })
  },

  listInvitations: async (deps, { workspace, query }) => {
    const request = readPageQuery(query)
    const rows = await listInvitations(deps.storage.db, workspace.id, request.after, request.count + 1)
    const page = makePage(rows, request, row => row.email)
    return {
      items: await describeInvitations(deps, page.rows),
      next: page.next,
      canMail: deps.mail.isAvailable,
    }
  },

  withdrawInvitation: async ({ storage }, call) => {
    const { workspace, params } = call
    await storage.write(async writer => {
      const row = await withdrawInvitation(writer, params.invitationId, workspace.id)
      if (!row)
        throw new Problem('no-such-resource', `this workspace has no open invitation ${params.invitationId}`)
      await audit(writer, call, { workspaceId: workspace.id, target: row.email })
    })
    return undefined
  },
} satisfies { [Id in 'inviteMember' | 'listInvitations' | 'withdrawInvitation']: Handler<Id> }

const describeInvitations = async (
  { storage }: ManagementDependencies,
  rows: readonly InvitationRow[],
): Promise<Invitation[]> => {
  const inviters = await findUsers(storage.db, [...new Set(rows.map(row => row.invitedBy))])
  return rows.map(row => ({
    id: row.id,
    email: row.email,
    roles: row.roles,
    ...(row.filter ? { filter: row.filter } : {}),
    ...row.rights,
    invitedBy: inviters.find(({ id }) => id === row.invitedBy)?.email ?? null,
    createdAt: timestamp(row.createdAt),
    expiresAt: timestamp(row.expiresAt),
    expired: row.state === 'expired',
  }))
}
