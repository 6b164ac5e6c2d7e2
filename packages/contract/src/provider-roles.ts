/** The roles that an OpenID provider gives, in either form of the workspace file. */
import type { Role } from './roles.ts'
import type { IdentityProvider } from './workspace-file.ts'

export const defaultRolesClaim = 'groups'

type ProviderRoles = Pick<IdentityProvider, 'roles' | 'rolesClaim'>

/** Returns the claim and the roles by its values. Undefined: the provider gives no roles. */
export const readRoleMap = ({
  roles,
  rolesClaim = defaultRolesClaim,
}: ProviderRoles): { claim: string; map: Readonly<Record<string, Role[]>> } | undefined => {
  if (roles === undefined) return undefined
  const { claim } = roles
  // In the other form, `claim` would be a value with a list of roles.
  return typeof claim === 'string'
    ? { claim, map: (roles as RoleMap).map }
    : { claim: rolesClaim, map: roles as Record<string, Role[]> }
}

/** The form that `groups` has too. */
interface RoleMap {
  claim: string
  map: Record<string, Role[]>
}
