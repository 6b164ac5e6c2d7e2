/** What the signed-in person may do in a workspace, so that pages offer no more. The server decides all the same (server/src/authz/access.ts). */
import type { Role } from '@querent/contract/manage'
import { rolePermissions, type WorkspacePermission } from '@querent/contract/roles'
import { useSuspenseQuery } from '@tanstack/react-query'
import { reading } from './manage.ts'

/** Operators manage every workspace, and query where they are members. */
const ofOperators: readonly WorkspacePermission[] = ['administer', 'edit', 'import', 'look']

/** Roles that hold a right, in words. */
export const holders: Readonly<Record<WorkspacePermission, string>> = {
  administer: 'administrators',
  edit: 'administrators and members with the role user',
  import: 'administrators and members with the role user or data-provider',
  query: 'members with the role api, user or administrator',
  look: 'members with the role api, user or administrator',
}

export interface Standing {
  roles: readonly Role[]
  operator: boolean
  /** Whether the workspace is among those that one may see. */
  isKnown: boolean
  may: (right: WorkspacePermission) => boolean
}

export const useStanding = (workspace: string): Standing => {
  const { data: workspaces } = useSuspenseQuery(reading('listWorkspaces', {}))
  const { data: me } = useSuspenseQuery(reading('getMe', {}))
  const found = workspaces.items.find(item => item.workspace === workspace)
  const roles = found?.roles ?? []
  const rights = [...roles.flatMap(role => rolePermissions[role]), ...(me.operator ? ofOperators : [])]
  return {
    roles,
    operator: me.operator,
    isKnown: found !== undefined,
    may: right => found !== undefined && rights.includes(right),
  }
}
