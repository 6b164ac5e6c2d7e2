/** Members of a workspace: users, and System-to-System accounts, whose roles are kept as memberships too. */
import type { Member } from '@querent/contract/manage'
import { Problem } from '#errors'
import { findClients, listSecrets } from '#storage/clients'
import type { Db } from '#storage/db'
import { withdrawInvitationsTo } from '#storage/invitations'
import {
  findMember,
  findMembers,
  listMembers,
  type MemberRow,
  removeMember,
  setMember,
} from '#storage/members'
import { findUserByEmail, findUsers, shownName, type UserRow } from '#storage/users'
import { beforeOf } from './before.ts'
import { audit, type Handler, timestamp } from './call.ts'
import { refuseBadFilter } from './input-rules.ts'
import { pageOf, pageOfFound, pageRequest, searchedFor } from './pages.ts'

export const memberHandlers = {
  listMembers: async (deps, { workspace, query }) => {
    const { storage } = deps
    const { db } = storage
    // It may have happened a moment ago.
    await deps.activity.flush()
    const request = pageRequest(query)
    const text = searchedFor(query)
    const subjectOf = (row: MemberRow) => row.subject
    const page =
      text === undefined
        ? pageOf(await listMembers(db, workspace.id, request.after, request.count + 1), request, subjectOf)
        : await pageOfFound(
            storage,
            { text, among: { workspaceId: workspace.id }, ...request },
            ids => findMembers(db, workspace.id, ids),
            subjectOf,
          )
    return { items: await describeAll(db, page.rows), next: page.next }
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

/** Reads all their accounts at once. */
const describeAll = async (db: Db, rows: readonly MemberRow[]): Promise<Member[]> => {
  const { user = [], 'system-to-system': system = [] } = Object.groupBy(rows, row => row.kind)
  const clientIds = system.map(row => row.subject)
  const users = new Map(
    (
      await findUsers(
        db,
        user.map(row => row.subject),
      )
    ).map(found => [found.id, found]),
  )
  const clients = new Map((await findClients(db, clientIds)).map(found => [found.id, found]))
  const secrets = Map.groupBy(await listSecrets(db, clientIds), secret => secret.clientId)
  return rows.map(row => {
    if (row.kind === 'user') {
      const user = users.get(row.subject)
      return user ? describeUser(row, user) : { ...describeRow(row), name: row.subject }
    }
    // Who gets a token and is refused with it does something too.
    const tokens = secrets.get(row.subject)?.map(secret => secret.lastUsedAt ?? 0) ?? []
    const lastActiveAt = Math.max(row.lastActiveAt ?? 0, ...tokens) || null
    const name = clients.get(row.subject)?.name ?? row.subject
    return { ...describeRow({ ...row, lastActiveAt }), clientId: row.subject, name }
  })
}
