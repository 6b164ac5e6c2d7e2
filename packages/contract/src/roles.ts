/** The table of roles (authorization-server.md, People and accounts). The server enforces it; the console only offers what it allows. */
import type { Permission, Role } from './manage.ts'

/** Permissions of a member in a workspace. */
export type WorkspacePermission = Exclude<Permission, 'operator' | 'account'>

export const rolePermissions: Readonly<Record<Role, readonly WorkspacePermission[]>> = {
  administrator: ['administer', 'edit', 'import', 'query', 'look'],
  user: ['edit', 'import', 'query', 'look'],
  api: ['query', 'look'],
  'data-provider': ['import'],
}

export const rolesAllow = (roles: readonly Role[], permission: WorkspacePermission): boolean =>
  roles.some(role => rolePermissions[role].includes(permission))
