/** Invitations: how people become members without an operator making them users first. */
import type { Invitation } from '@querent/contract/manage'
import { Problem } from '#errors'
import { letters } from '#http/letters'
import {
  createInvitation,
  type InvitationRow,
  listInvitations,
  withdrawInvitation,
} from '#storage/invitations'
import { findMember } from '#storage/members'
import { findUserByEmail, findUsers, foldEmail, shownName } from '#storage/users'
import { audit, type Handler, type ManagementDependencies, timestamp } from './call.ts'
import { refuseBadFilter } from './input-rules.ts'
import { pageOf, pageRequest } from './pages.ts'

/** For so long the reply waits to tell whether the mail server took the letter. */
const mailAwaitedMs = 3000

export const invitationHandlers = {
  inviteMember: async (deps, call) => {
    const { workspace, input, principal } = call
    const { roles, filter, language = 'en' } = input
    const email = foldEmail(input.email)
    refuseBadFilter(workspace.definition, filter)
    const { id, token, mailedToken, expiresAt } = await deps.storage.write(async writer => {
      const user = await findUserByEmail(writer.db, email)
      if (user && (await findMember(writer.db, workspace.id, user.id)))
        throw new Problem('conflict', `${email} is a member of this workspace already`, {
          errors: [{ path: 'body.email', message: 'is a member of this workspace already' }],
        })
      const invitedBy = principal.subject
      const made = await createInvitation(writer, {
        workspaceId: workspace.id,
        email,
        roles,
        filter,
        invitedBy,
      })
      await audit(writer, call, { workspaceId: workspace.id, target: email, detail: { roles, filter } })
      return made
    })
    const url = `${deps.authUrl}/invitation/${token}`
    const user = await deps.directory.user(principal.subject)
    const inviter = user ? shownName(user) : ''
    const mailedUrl = `${deps.authUrl}/invitation/${mailedToken}`
    const facts = { workspace: workspace.title, inviter, url: mailedUrl, expiresAt }
    const words = letters[language].invitation(facts)
    const mailed = await soon(deps.mail.send({ to: email, ...words }))
    const shown = { id, email, roles, ...(filter ? { filter } : {}), expiresAt: timestamp(expiresAt) }
    return { ...shown, url, mailed }
  },

  listInvitations: async (deps, { workspace, query }) => {
    const request = pageRequest(query)
    const rows = await listInvitations(deps.storage.db, workspace.id, request.after, request.count + 1)
    const page = pageOf(rows, request, row => row.email)
    return { items: await describe(deps, page.rows), next: page.next }
  },

  withdrawInvitation: async ({ storage }, call) => {
    const { workspace, params } = call
    await storage.write(async writer => {
      const row = await withdrawInvitation(writer, params.invitationId, workspace.id)
      if (!row)
        throw new Problem(
          'no-such-resource',
          `this workspace has no invitation ${params.invitationId} that could be withdrawn`,
        )
      await audit(writer, call, { workspaceId: workspace.id, target: row.email })
    })
    return undefined
  },
} satisfies { [Id in 'inviteMember' | 'listInvitations' | 'withdrawInvitation']: Handler<Id> }

/** False when it takes too long: then the link is handed over, and a letter that comes all the same does no harm. */
const soon = async (sending: Promise<boolean>): Promise<boolean> => {
  const { promise: late, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(resolve, mailAwaitedMs, false)
  const sent = await Promise.race([sending, late])
  clearTimeout(timer)
  return sent
}

const describe = async (
  { storage }: ManagementDependencies,
  rows: readonly InvitationRow[],
): Promise<Invitation[]> => {
  const inviters = await findUsers(storage.db, [...new Set(rows.map(row => row.invitedBy))])
  return rows.map(row => ({
    id: row.id,
    email: row.email,
    roles: row.roles,
    ...(row.filter ? { filter: row.filter } : {}),
    invitedBy: inviters.find(({ id }) => id === row.invitedBy)?.email ?? null,
    createdAt: timestamp(row.createdAt),
    expiresAt: timestamp(row.expiresAt),
    expired: row.state === 'expired',
  }))
}
