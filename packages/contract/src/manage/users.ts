/** Users of the server, for operators. */
import { type Static, Type } from '#schema'
import { Email, EmailVerified, Name, oneTimeLink, Password, Timestamp } from './fields.ts'
import { closed, list, type Operations, SearchedPage } from './operation.ts'

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
  updateUser: {
    id: 'updateUser',
    method: 'PATCH',
    path: '/users/{email}',
    permission: 'operator',
    summary: 'Disable or enable a user; disabling signs the user out everywhere',
    params: UserParams,
    input: Type.Object({ disabled: Type.Boolean() }, closed),
    status: 200,
    reply: User,
  },
  removeUser: {
    id: 'removeUser',
    method: 'DELETE',
    path: '/users/{email}',
    permission: 'operator',
    summary: 'Delete a user with memberships, sessions and consents; takes effect immediately',
    params: UserParams,
    status: 204,
  },
  resetPassword: {
    id: 'resetPassword',
    method: 'POST',
    path: '/users/{email}/password-reset',
    permission: 'operator',
    summary: 'Create a one-time link to choose a new password, valid for an hour',
    params: UserParams,
    status: 201,
    reply: Type.Object(oneTimeLink),
  },
} as const satisfies Operations
