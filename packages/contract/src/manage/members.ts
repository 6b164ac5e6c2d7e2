/** Members of a workspace. */
import { Role } from '#roles'
import { type Static, Type } from '#schema'
import { Email, EmailVerified, invitationMail, Timestamp } from './fields.ts'
import { NewInvitation, Withdrawal, WithdrawnAccess } from './invitations.ts'
import { closed, inWorkspace, list, type Operations, SearchedPage, WorkspaceParams } from './operation.ts'
import { changedRights, givenBySource, membershipRights } from './rights.ts'
import { RowFilter } from './row-filter.ts'

export const Member = Type.Object({
  kind: Type.Union([Type.Literal('user'), Type.Literal('system-to-system')]),
  email: Type.Optional(Email),
  emailVerified: Type.Optional(EmailVerified),
  clientId: Type.Optional(Type.String()),
  name: Type.String(),
  roles: Type.Array(Role),
  filter: Type.Optional(RowFilter),
  ...membershipRights,
  given: givenBySource,
  fromProvider: Type.Optional(
    Type.Boolean({
      description:
        "true: the workspace's own OpenID provider gave the roles, and gives them again at each sign-in",
    }),
  ),
  createdAt: Timestamp,
  lastActivityAt: Type.Union([Timestamp, Type.Null()], {
    description:
      'When this workspace last allowed a request of the member, or a Client Secret was used; to the minute; null: never',
  }),
})
export type Member = Static<typeof Member>

const MemberParams = Type.Object({ ...inWorkspace, email: Email })

export const memberOperations = {
  listMembers: {
    id: 'listMembers',
    method: 'GET',
    path: '/workspaces/{workspace}/members',
    permission: 'administer',
    summary: 'List or search members',
    params: WorkspaceParams,
    query: SearchedPage('Start of an e-mail address or name, or a whole Client ID'),
    status: 200,
    reply: list(Member),
  },
  setMember: {
    id: 'setMember',
    method: 'PUT',
    path: '/workspaces/{workspace}/members/{email}',
    permission: 'administer',
    summary: 'Add or update a member; a person without a confirmed address is invited instead (202)',
    params: MemberParams,
    input: Type.Object(
      {
        roles: Type.Array(Role, { minItems: 1, uniqueItems: true }),
        filter: Type.Optional(Type.Union([RowFilter, Type.Null()])),
        ...changedRights,
        ...invitationMail,
      },
      closed,
    ),
    status: 200,
    reply: Type.Object({ ...Member.properties, withdrawn: Type.Optional(WithdrawnAccess) }),
    acceptedReply: NewInvitation,
  },
  removeMember: {
    id: 'removeMember',
    method: 'DELETE',
    path: '/workspaces/{workspace}/members/{email}',
    permission: 'administer',
    summary: 'Remove a member; takes effect immediately',
    params: MemberParams,
    status: 204,
    noticeReply: Withdrawal,
  },
} as const satisfies Operations
