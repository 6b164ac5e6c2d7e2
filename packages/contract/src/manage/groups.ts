/** Groups of a workspace, and the defaults of members. */
import { type Static, Type } from '#schema'
import { Member } from './members.ts'
import { inWorkspace, list, type Operations, Page, WorkspaceParams } from './operation.ts'
import { Group, GroupName, MemberDefaults } from './rights.ts'

export const NamedGroup = Type.Object({ group: GroupName, ...Group.properties })
export type NamedGroup = Static<typeof NamedGroup>

const GroupParams = Type.Object({ ...inWorkspace, group: GroupName })

export const groupOperations = {
  listGroups: {
    id: 'listGroups',
    method: 'GET',
    path: '/workspaces/{workspace}/groups',
    permission: 'administer',
    summary: 'List the groups, and the defaults of members',
    params: WorkspaceParams,
    status: 200,
    reply: Type.Object({ items: Type.Array(NamedGroup), memberDefaults: MemberDefaults }),
  },
  listGroupMembers: {
    id: 'listGroupMembers',
    method: 'GET',
    path: '/workspaces/{workspace}/groups/{group}/members',
    permission: 'administer',
    summary:
      'List the members who are in a group now, from any source. Pages may have fewer items than `count`',
    params: GroupParams,
    query: Page,
    status: 200,
    reply: list(Member),
  },
  setGroup: {
    id: 'setGroup',
    method: 'PUT',
    path: '/workspaces/{workspace}/groups/{group}',
    permission: 'administer',
    summary: 'Create or replace a group; takes effect on the next request',
    params: GroupParams,
    input: Group,
    status: 200,
    reply: NamedGroup,
  },
  removeGroup: {
    id: 'removeGroup',
    method: 'DELETE',
    path: '/workspaces/{workspace}/groups/{group}',
    permission: 'administer',
    summary: 'Delete a group that nobody names',
    params: GroupParams,
    status: 204,
  },
  setMemberDefaults: {
    id: 'setMemberDefaults',
    method: 'PUT',
    path: '/workspaces/{workspace}/member-defaults',
    permission: 'administer',
    summary: 'Replace what members have who have no source of their own',
    params: WorkspaceParams,
    input: MemberDefaults,
    status: 200,
    reply: MemberDefaults,
  },
} as const satisfies Operations
