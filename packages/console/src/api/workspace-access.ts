/** Permissions of the signed-in person in a workspace, to hide pages. The server enforces them (server/src/authz/access.ts). */
import type { Role } from '@querent/contract/manage'
import { rolePermissions, type WorkspacePermission } from '@querent/contract/roles'
import { useSuspenseQuery } from '@tanstack/react-query'
import { t } from '#i18n/translate.ts'
import { readOperation } from './manage.ts'

/** Operators manage every workspace, and query where they are members. */
const operatorPermissions: readonly WorkspacePermission[] = ['administer', 'edit', 'import', 'look']

/** Describes the roles that have a permission. */
export const permittedRoles: Readonly<Record<WorkspacePermission, string>> = {
  administer: t('administrators'),
  edit: t('administrators and editors'),
  import: t('administrators, editors and members who may only import'),
  query: t('administrators, editors and members who may only search'),
  look: t('administrators, editors and members who may only search'),
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
    operator: me.operator === true,
    isVisible: summary !== undefined,
    may: permission => summary !== undefined && permissions.includes(permission),
  }
}
