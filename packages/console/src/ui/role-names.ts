import type { Role, SystemRole } from '@querent/contract/manage'

/** Permissions of each role, in words (docs/people.md). */
export const roleDescriptions: Readonly<Record<Role, string>> = {
  administrator: 'everything, members and settings included',
  user: 'query, and work on collections, documents and endpoints',
  api: "query the workspace's APIs",
  'data-provider': 'add, replace and delete documents by id; reads nothing',
}

export const roles: readonly Role[] = ['administrator', 'user', 'api', 'data-provider']
/** Those that a System-to-System account may have. */
export const systemRoles: readonly SystemRole[] = ['api', 'data-provider']
