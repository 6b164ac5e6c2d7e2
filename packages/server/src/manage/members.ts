/** Members of a workspace: users and System-to-System accounts, whose roles are stored as memberships. */
import type { Member, RowFilter } from '@querent/contract/manage'
import { Problem } from '#errors'
import { findClients, listSecrets } from '#storage/clients'
import type { Db } from '#storage/db'
import { removeIdentities } from '#storage/identity-providers'
import { findOpenInvitation, withdrawInvitationsTo } from '#storage/invitations'
import {
  findMember,
  findMembers,
  listMembers,
  type MemberRow,
  removeMember,
  setMember,
} from '#storage/members'
import { removeUserProviderTokens } from '#storage/provider-tokens'
import { displayName, findUserByEmail, findUsers, type UserRow } from '#storage/users'
import { AcceptedResult, audit, type Handler, makeAuditDiff, rightsSource, timestamp } from './call.ts'
import { endAccess } from './end-access.ts'
import { refuseBadFilter } from './input-rules.ts'
import { mayJoinDirectly, sendInvitation, storeInvitation } from './invite.ts'
import { refuseUnknownLanguage } from './mail-language.ts'
import { makePage, readPageQuery, readSearchPage, readSearchText } from './pages.ts'
import { mergeRights, pickRights, readLockedDefinition } from './rights-input.ts'
import { readNewEmail } from './validation-problem.ts'

export const memberHandlers = {
  listMembers: async (deps, { workspace, query }) => {
    const { storage } = deps
    const { db } = storage
    // Include activity of the last moments.
    await deps.activity.flush()
    const request = readPageQuery(query)
    const text = readSearchText(query)
    const readSubject = (row: MemberRow) => row.subject
    const page =
      text === undefined
        ? makePage(
            await listMembers(db, workspace.id, request.after, request.count + 1),
            request,
            readSubject,
          )
        : await readSearchPage(
            storage,
            { text, scope: { workspaceId: workspace.id }, ...request },
            ids => findMembers(db, workspace.id, ids),
            readSubject,
          )
    return { items: await describeMembers(db, page.rows), next: page.next }
  },

  setMember: async (deps, call) => {
    const { workspace, params, input, principal } = call
    const { roles, language, mail = true } = input
    refuseUnknownLanguage(language)
    refuseBadFilter(workspace.definition, input.filter)
    const detail = {
      roles,
      ...(input.filter === undefined ? {} : { filter: input.filter }),
      ...pickRights(input),
    }
    const source = rightsSource(deps, call)
    /** An omitted filter stays, so that setting roles alone never widens access. */
    const resolveFilter = (currentFilter: RowFilter | undefined) =>
      input.filter === undefined ? currentFilter : (input.filter ?? undefined)
    const done = await deps.storage.write(async writer => {
      const { db } = writer
      const definition = await readLockedDefinition(writer, workspace)
      const user = await findUserByEmail(db, params.email)
      const memberBefore = user && (await findMember(db, workspace.id, user.id))
      if (!memberBefore && !mayJoinDirectly(user, principal)) {
        const email = readNewEmail(params.email, 'path')
        const open = await findOpenInvitation(db, workspace.id, email)
        const invited = {
          workspaceId: workspace.id,
          email,
          roles,
          filter: resolveFilter(open?.filter),
          rights: mergeRights(definition, open?.rights, input),
          invitedBy: principal.subject,
        }
        const invitation = await storeInvitation(writer, deps, invited, mail ? 'required' : 'none')
        const { email: target } = invitation
        await audit(writer, call, {
          workspaceId: workspace.id,
          target,
          detail: { ...detail, invited: true, source },
        })
        return { invitation }
      }
      const filter = resolveFilter(memberBefore?.filter)
      const subject = user.id
      const rights = mergeRights(definition, memberBefore?.rights, input)
      await setMember(writer, { workspaceId: workspace.id, subject, kind: 'user', roles, filter, rights })
      // Members need no invitation.
      await withdrawInvitationsTo(writer, workspace.id, user.email)
      const withdrawn = await endAccess(writer, subject, workspace.id)
      await audit(writer, call, {
        workspaceId: workspace.id,
        target: user.email,
        detail: {
          ...detail,
          ...withdrawn,
          source,
          ...(memberBefore
            ? makeAuditDiff(
                { roles: memberBefore.roles, filter: memberBefore.filter, ...memberBefore.rights },
                detail,
              )
            : {}),
        },
      })
      const row = await findMember(db, workspace.id, subject)
      if (!row) throw new Error('a member is not there after it was set')
      return { member: { ...describeUserMember(row, user), ...withdrawn } }
    })
    if (done.member) return done.member
    const { subject: invitedBy } = principal
    const { requestId } = call.origin
    const invitationContext = { workspaceTitle: workspace.title, invitedBy, language, requestId }
    return new AcceptedResult(await sendInvitation(deps, done.invitation, invitationContext))
  },

  removeMember: async ({ storage }, call) => {
    const { workspace, params } = call
    const withdrawal = await storage.write(async writer => {
      const user = await findUserByEmail(writer.db, params.email)
      if (!user || !(await removeMember(writer, workspace.id, user.id)))
        throw new Problem('no-such-resource', `${params.email} is not a member of this workspace`)
      // Somebody else may get the address at the provider.
      await removeIdentities(writer, workspace.id, user.id)
      await removeUserProviderTokens(writer.db, workspace.id, user.id)
      const withdrawn = await endAccess(writer, user.id, workspace.id)
      await audit(writer, call, { workspaceId: workspace.id, target: user.email, detail: { ...withdrawn } })
      return withdrawn
    })
    return withdrawal
  },
} satisfies { [Id in 'listMembers' | 'setMember' | 'removeMember']: Handler<Id> }

const describeMembership = (row: MemberRow) => ({
  kind: row.kind,
  roles: row.roles,
  ...(row.filter ? { filter: row.filter } : {}),
  ...row.rights,
  ...(Object.keys(row.given).length > 0 ? { given: { ...row.given } } : {}),
  ...(row.isFromProvider ? { fromProvider: true } : {}),
  createdAt: timestamp(row.createdAt),
  lastActivityAt: row.lastActiveAt === null ? null : timestamp(row.lastActiveAt),
})

const describeUserMember = (row: MemberRow, user: UserRow): Member => ({
  ...describeMembership(row),
  email: user.email,
  emailVerified: user.email_verified === 1,
  name: displayName(user),
})

/** Reads all accounts at once. */
export const describeMembers = async (db: Db, rows: readonly MemberRow[]): Promise<Member[]> => {
  const { user = [], 'system-to-system': system = [] } = Object.groupBy(rows, row => row.kind)
  const clientIds = system.map(row => row.subject)
  const users = new Map(
    (
      await findUsers(
        db,
        user.map(row => row.subject),
      )
    ).map(user => [user.id, user]),
  )
  const clients = new Map((await findClients(db, clientIds)).map(client => [client.id, client]))
  const secrets = Map.groupBy(await listSecrets(db, clientIds), secret => secret.clientId)
  return rows.map(row => {
    if (row.kind === 'user') {
      const user = users.get(row.subject)
      return user ? describeUserMember(row, user) : { ...describeMembership(row), name: row.subject }
    }
    // Getting a token also counts as activity, even if it is rejected later.
    const tokens = secrets.get(row.subject)?.map(secret => secret.lastUsedAt ?? 0) ?? []
    const lastActiveAt = Math.max(row.lastActiveAt ?? 0, ...tokens) || null
    const name = clients.get(row.subject)?.name ?? row.subject
    return { ...describeMembership({ ...row, lastActiveAt }), clientId: row.subject, name }
  })
}
