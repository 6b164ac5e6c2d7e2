/** Members of a workspace: users, and System-to-System accounts, whose roles are kept as memberships too. */
import type { Member } from '@querent/contract/manage'
import { Problem } from '#errors'
import { listSecrets } from '#storage/clients'
import { withdrawInvitationsTo } from '#storage/invitations'
import { findMember, listMembers, type MemberRow, removeMember, setMember } from '#storage/members'
import { findUserByEmail, shownName, type UserRow } from '#storage/users'
import { beforeOf } from './before.ts'
import { audit, type Handler, type ManagementDependencies, timestamp } from './call.ts'
import { refuseBadFilter } from './input-rules.ts'
import { pageOf, pageRequest } from './pages.ts'

export const memberHandlers = {
  listMembers: async (deps, { workspace, query }) => {
    const { db } = deps.storage
    // It may have happened a moment ago.
    await deps.activity.flush()
    const request = pageRequest(query)
    const rows = await listMembers(db, workspace.id, request.after, request.count + 1)
    const page = pageOf(rows, request, row => row.subject)
    const accounts = page.rows.filter(row => row.kind === 'system-to-system').map(row => row.subject)
    const secrets = Map.groupBy(await listSecrets(db, accounts), secret => secret.clientId)
    const items = page.rows.map(row => {
      // Who gets a token and is refused with it does something too.
      const tokens = secrets.get(row.subject)?.map(secret => secret.lastUsedAt ?? 0) ?? []
      return describe(deps, { ...row, lastActiveAt: Math.max(row.lastActiveAt ?? 0, ...tokens) || null })
    })
    return { items: await Promise.all(items), next: page.next }
  },

  setMember: async ({ storage }, call) => {
    const { workspace, params, input } = call
    refuseBadFilter(workspace.definition, input.filter)
    const { row, user } = await storage.write(async writer => {
      const user = await findUserByEmail(writer.db, params.email)
      if (!user)
        throw new Problem(
          'no-such-resource',
          `there is no user ${params.email}: make one first with \`querent users create ${params.email}\``,
        )
      const before = await findMember(writer.db, workspace.id, user.id)
      await setMember(writer, {
        workspaceId: workspace.id,
        subject: user.id,
        kind: 'user',
        roles: input.roles,
        // Left out: kept, so that setting roles alone never widens what somebody sees.
        filter: input.filter === undefined ? before?.filter : (input.filter ?? undefined),
      })
      // Who is a member is invited no more.
      await withdrawInvitationsTo(writer, workspace.id, user.email)
      await audit(writer, call, {
        workspaceId: workspace.id,
        target: user.email,
        detail: {
          ...input,
          ...(before ? beforeOf({ roles: before.roles, filter: before.filter }, input) : {}),
        },
      })
      const row = await findMember(writer.db, workspace.id, user.id)
      if (!row) throw new Error('a member is not there after it was set')
      return { row, user }
    })
    return describeUser(row, user)
  },

  removeMember: async ({ storage }, call) => {
    const { workspace, params } = call
    await storage.write(async writer => {
      const user = await findUserByEmail(writer.db, params.email)
      if (!user || !(await removeMember(writer, workspace.id, user.id)))
        throw new Problem('no-such-resource', `${params.email} is no member of this workspace`)
      await audit(writer, call, { workspaceId: workspace.id, target: user.email })
    })
    return undefined
  },
} satisfies { [Id in 'listMembers' | 'setMember' | 'removeMember']: Handler<Id> }

const describeRow = (row: MemberRow) => ({
  kind: row.kind,
  roles: row.roles,
  ...(row.filter ? { filter: row.filter } : {}),
  createdAt: timestamp(row.createdAt),
  lastActivityAt: row.lastActiveAt === null ? null : timestamp(row.lastActiveAt),
})

const describeUser = (row: MemberRow, user: UserRow): Member => ({
  ...describeRow(row),
  email: user.email,
  name: shownName(user),
})

const describe = async ({ directory }: ManagementDependencies, row: MemberRow): Promise<Member> => {
  if (row.kind === 'system-to-system') {
    const client = await directory.client(row.subject)
    return { ...describeRow(row), clientId: row.subject, name: client?.name ?? row.subject }
  }
  const user = await directory.user(row.subject)
  return user ? describeUser(row, user) : { ...describeRow(row), name: row.subject }
}
