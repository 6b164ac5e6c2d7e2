/** The one table of roles (authorization-server.md, People and accounts): the server decides by it, the console offers what it allows. */
import type { Permission, Role } from './manage.ts'

/** What members may do in a workspace. */
export type WorkspacePermission = Exclude<Permission, 'operator' | 'account'>

export const permissionsOf: Readonly<Record<Role, readonly WorkspacePermission[]>> = {
  administrator: ['administer', 'edit', 'import', 'query', 'look'],
  user: ['edit', 'import', 'query', 'look'],
  api: ['query', 'look'],
  'data-provider': ['import'],
}

export const rolesAllow = (roles: readonly Role[], permission: WorkspacePermission): boolean =>
  roles.some(role => permissionsOf[role].includes(permission))
