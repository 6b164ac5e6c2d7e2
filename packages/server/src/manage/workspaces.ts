/** Workspaces visible to the caller. */
import type { Role, Workspace } from '@querent/contract/manage'
import { hasEnded } from '#authz/rights'
import { listWorkspaces, removeWorkspace, type WorkspaceRow } from '#storage/workspaces'
import { isOperator } from './admit.ts'
import { audit, type Handler, timestamp } from './call.ts'
import { makePage, readPageQuery } from './pages.ts'

export const workspaceHandlers = {
  listWorkspaces: async ({ storage, directory }, { principal, query }) => {
    const request = readPageQuery(query)
    const { subject, client, token } = principal
    const onlyWorkspace = client.workspaceId ?? token.workspaceId
    const rows = await listWorkspaces(storage.db, {
      ...(isOperator(principal) ? {} : { subject }),
      // A token opens only the workspace of its client, or of the provider that its person signed in through.
      ...(onlyWorkspace === undefined ? {} : { id: onlyWorkspace }),
      after: request.after,
      count: request.count + 1,
    })
    const page = makePage(rows, request, row => row.slug)
    const rolesIn = async (row: WorkspaceRow) => {
      const member = await directory.member(row.id, subject)
      return member && !hasEnded(member) ? member.roles : []
    }
    const items = await Promise.all(page.rows.map(async row => describeWorkspace(row, await rolesIn(row))))
    return { items, next: page.next }
  },

  removeWorkspace: async ({ storage, collections }, call) => {
    const { id, slug, title } = call.workspace
    await storage.write(async writer => {
      await collections.planRemoval(writer, id)
      await removeWorkspace(writer, { id, slug })
      await audit(writer, call, { workspaceId: id, target: slug, detail: { title } })
    })
    await collections.reconcile(id)
    return undefined
  },
} satisfies { [Id in 'listWorkspaces' | 'removeWorkspace']: Handler<Id> }

const describeWorkspace = (row: WorkspaceRow, roles: Role[]): Workspace => ({
  workspace: row.slug,
  title: row.title,
  description: row.definition.description ?? '',
  roles,
  createdAt: timestamp(row.created_at),
})
