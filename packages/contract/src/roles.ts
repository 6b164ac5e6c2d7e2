/** The table of roles (authorization-server.md, People and accounts). The server enforces it; the console only offers what it allows. */
import { type Static, Type } from './schema.ts'

export const Role = Type.Union([
  Type.Literal('administrator'),
  Type.Literal('user'),
  Type.Literal('api'),
  Type.Literal('data-provider'),
])
export type Role = Static<typeof Role>

/** Roles that a System-to-System account may have (authorization-server.md, People and accounts). */
export const SystemRole = Type.Union([Type.Literal('api'), Type.Literal('data-provider')])
export type SystemRole = Static<typeof SystemRole>

/**
 * The permission that an operation requires. `operator`: operators. `account`: any signed-in account, which only sees its own data. Members of
 * the workspace in the path have the others by their roles. Operators have them too, except `query`. `look` lists APIs and endpoints.
 */
export type Permission = 'operator' | 'account' | 'administer' | 'edit' | 'import' | 'query' | 'look'

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
