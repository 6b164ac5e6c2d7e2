/** What the signed-in person may do in a workspace, so that pages offer no more. The server decides all the same (server/src/authz/access.ts). */
import type { Role } from '@querent/contract/manage'
import { rolePermissions, type WorkspacePermission } from '@querent/contract/roles'
import { useSuspenseQuery } from '@tanstack/react-query'
import { readOperation } from './manage.ts'

/** Operators manage every workspace, and query where they are members. */
const operatorPermissions: readonly WorkspacePermission[] = ['administer', 'edit', 'import', 'look']

/** Roles that hold a right, in words. */
export const permittedRoles: Readonly<Record<WorkspacePermission, string>> = {
  administer: 'administrators',
  edit: 'administrators and members with the role user',
  import: 'administrators and members with the role user or data-provider',
  query: 'members with the role api, user or administrator',
  look: 'members with the role api, user or administrator',
}

export interface WorkspaceAccess {
  roles: readonly Role[]
  operator: boolean
  /** Whether the workspace is among those that one may see. */
  isVisible: boolean
  may: (permission: WorkspacePermission) => boolean
}

export const useWorkspaceAccess = (workspace: string): WorkspaceAccess => {
  const { data: workspaces } = useSuspenseQuery(readOperation('listWorkspaces', {}))
  const { data: me } = useSuspenseQuery(readOperation('getMe', {}))
  const summary = workspaces.items.find(item => item.workspace === workspace)
  const roles = summary?.roles ?? []
  const permissions = [
    ...roles.flatMap(role => rolePermissions[role]),
    ...(me.operator ? operatorPermissions : []),
  ]
  return {
    roles,
    operator: me.operator,
    isVisible: summary !== undefined,
    may: permission => summary !== undefined && permissions.includes(permission),
  }
}
