/** Users of the server, for operators. */
import { Role } from '#roles'
import { type Static, Type } from '#schema'
import { Email, EmailVerified, Name, oneTimeLink, Password, Timestamp } from './fields.ts'
import { Withdrawal, WithdrawnAccess } from './invitations.ts'
import { closed, list, type Operations, SearchedPage } from './operation.ts'
import { GroupName } from './rights.ts'
import { RowFilter } from './row-filter.ts'

export const User = Type.Object({
  id: Type.String(),
  email: Email,
  emailVerified: EmailVerified,
  name: Type.String(),
  operator: Type.Boolean(),
  disabled: Type.Boolean(),
  createdAt: Timestamp,
})
export type User = Static<typeof User>

export const MembershipGroup = Type.Object({ group: GroupName, title: Type.Optional(Type.String()) })

export const MembershipFilter = Type.Object({
  source: Type.Union([Type.Literal('own'), Type.Literal('group'), Type.Literal('memberDefaults')]),
  group: Type.Optional(GroupName),
  filter: RowFilter,
})

/** Membership of a user in one workspace. */
export const Membership = Type.Object({
  workspace: Type.String(),
  title: Type.String(),
  roles: Type.Array(Role),
  hasFilter: Type.Boolean({
    description: 'Whether a row filter of their own, of a group or of the defaults holds for the user',
  }),
  filters: Type.Array(MembershipFilter, {
    description: 'The row filters that hold for the user. A document that matches one of them is enough',
  }),
  groups: Type.Array(MembershipGroup, { description: 'The groups that the user has at this moment' }),
  ended: Type.Boolean({ description: 'Whether the membership has ended' }),
  createdAt: Timestamp,
  lastActivityAt: Type.Union([Timestamp, Type.Null()], { description: 'null: none, or unknown' }),
})
export type Membership = Static<typeof Membership>

export const UserParams = Type.Object({ email: Email })

export const userOperations = {
  createUser: {
    id: 'createUser',
    method: 'POST',
    path: '/users',
    permission: 'operator',
    summary: 'Create a user',
    input: Type.Object(
      {
        email: Email,
        name: Type.Optional(Name),
        password: Type.Optional(Password),
      },
      closed,
    ),
    status: 201,
    reply: User,
  },
  listUsers: {
    id: 'listUsers',
    method: 'GET',
    path: '/users',
    permission: 'operator',
    summary: 'List or search users, by e-mail address',
    query: SearchedPage('Start of an e-mail address or name'),
    status: 200,
    reply: list(User),
  },
  listMemberships: {
    id: 'listMemberships',
    method: 'GET',
    path: '/users/{email}/memberships',
    permission: 'operator',
    summary: 'List the workspaces of a user, by name; at most 1,000',
    params: UserParams,
    status: 200,
    reply: Type.Object({ items: Type.Array(Membership) }),
  },
  updateUser: {
    id: 'updateUser',
    method: 'PATCH',
    path: '/users/{email}',
    permission: 'operator',
    summary: 'Disable or enable a user; disabling signs the user out everywhere',
    params: UserParams,
    input: Type.Object({ disabled: Type.Boolean() }, closed),
    status: 200,
    reply: Type.Object({ ...User.properties, withdrawn: Type.Optional(WithdrawnAccess) }),
  },
  removeUser: {
    id: 'removeUser',
    method: 'DELETE',
    path: '/users/{email}',
    permission: 'operator',
    summary: 'Delete a user with memberships, sessions and consents; takes effect immediately',
    params: UserParams,
    status: 204,
    noticeReply: Withdrawal,
  },
  resetPassword: {
    id: 'resetPassword',
    method: 'POST',
    path: '/users/{email}/password-reset',
    permission: 'operator',
    recentSignIn: 'own-account',
    summary: 'Create a one-time link to choose a new password, valid for an hour',
    params: UserParams,
    status: 201,
    reply: Type.Object(oneTimeLink),
  },
} as const satisfies Operations
