/** Permissions of the signed-in person in a workspace, to hide pages. The server enforces them (server/src/authz/access.ts). */
import type { Role } from '@querent/contract/manage'
import { rolePermissions, type WorkspacePermission } from '@querent/contract/roles'
import { useSuspenseQuery } from '@tanstack/react-query'
import { readOperation } from './manage.ts'

/** Operators manage every workspace, and query where they are members. */
const operatorPermissions: readonly WorkspacePermission[] = ['administer', 'edit', 'import', 'look']

/** Describes the roles that have a permission. */
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
  /** Whether the person may see the workspace. */
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
