/** The signed-in account: its data, sessions, consents and password. */

import { type Static, Type } from '#schema'
import { Email, MailLanguage, Name, Password, Timestamp } from './fields.ts'
import { Withdrawal } from './invitations.ts'
import { closed, list, type Operations } from './operation.ts'
import { User } from './users.ts'

export const ClientName = Type.Object({ clientId: Type.String(), name: Type.String() })

export const Session = Type.Object({
  id: Type.String(),
  signedInAt: Timestamp,
  lastUsedAt: Type.String({
    format: 'date-time',
    description: 'When an application last got a code or tokens in this session',
  }),
  browser: Type.Union([Type.String(), Type.Null()], {
    description: 'Name and version of the browser that signed in, such as Firefox 145; null: unknown',
  }),
  system: Type.Union([Type.String(), Type.Null()], {
    description: 'Operating system, such as Linux; null: unknown',
  }),
  address: Type.Union([Type.String(), Type.Null()], {
    description: 'IP address of the sign-in; null: unknown',
  }),
  expiresAt: Type.Union([Timestamp, Type.Null()]),
  current: Type.Boolean({ description: 'Whether the token of this request belongs to this session' }),
  applications: Type.Array(ClientName),
})
export type Session = Static<typeof Session>

export const Consent = Type.Object({
  ...ClientName.properties,
  workspace: Type.Union([Type.String(), Type.Null()], {
    description:
      'Workspace of the application; null: it is of this server, or an unregistered one that may open several workspaces',
  }),
  scopes: Type.Array(Type.String()),
  resources: Type.Array(Type.String(), {
    description: 'Addresses that its tokens open: of the query service, or `{auth_url}/manage/`',
  }),
  since: Timestamp,
})
export type Consent = Static<typeof Consent>

export const PendingEmail = Type.Object({ email: Email, expiresAt: Timestamp })

/** The account of the caller. */
export const Me = Type.Object({
  ...User.properties,
  hasPassword: Type.Boolean({ description: 'false: signs in another way, such as with a passkey' }),
  language: Type.Union([MailLanguage, Type.Null()], {
    description: 'Language of mails: chosen, or of the pages that the person read last; null: unknown',
  }),
  pendingEmail: Type.Union([PendingEmail, Type.Null()], {
    description: 'New address whose link nobody has opened yet; null: none',
  }),
  canMail: Type.Boolean({
    description: 'false: the server has no mail server, so it cannot send the link of a new address',
  }),
})
export type Me = Static<typeof Me>

/** The caller. A workspace's own OpenID provider speaks for nothing else of the account. */
export const Caller = Type.Object(
  {
    id: Me.properties.id,
    email: Me.properties.email,
    emailVerified: Type.Optional(Me.properties.emailVerified),
    name: Me.properties.name,
    operator: Type.Optional(Me.properties.operator),
    disabled: Type.Optional(Me.properties.disabled),
    createdAt: Type.Optional(Me.properties.createdAt),
    hasPassword: Type.Optional(Me.properties.hasPassword),
    language: Type.Optional(Me.properties.language),
    pendingEmail: Type.Optional(Me.properties.pendingEmail),
    canMail: Type.Optional(Me.properties.canMail),
  },
  {
    description:
      "Only id, email and name if the workspace's own OpenID provider signed the caller in; otherwise all fields",
  },
)
export type Caller = Static<typeof Caller>

/** An additional proof, which replaces no sign-in. */
const proof = {
  password: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1000,
      description: 'Your password. Not needed; a wrong one is rejected',
    }),
  ),
}

export const accountOperations = {
  getMe: {
    id: 'getMe',
    method: 'GET',
    path: '/me',
    permission: 'account',
    summary: 'Get your account',
    status: 200,
    reply: Caller,
  },
  updateMe: {
    id: 'updateMe',
    method: 'PATCH',
    path: '/me',
    permission: 'account',
    summary: 'Change your name, or the language of mails to you',
    input: Type.Object({ name: Type.Optional(Name), language: Type.Optional(MailLanguage) }, closed),
    status: 200,
    reply: Me,
  },
  changeEmail: {
    id: 'changeEmail',
    method: 'POST',
    path: '/me/email',
    permission: 'account',
    recentSignIn: 'always',
    summary: 'Mail a link that confirms your new email address; the old one stays until you open it',
    input: Type.Object({ email: Email, ...proof }, closed),
    status: 201,
    reply: PendingEmail,
  },
  cancelEmailChange: {
    id: 'cancelEmailChange',
    method: 'DELETE',
    path: '/me/email',
    permission: 'account',
    summary: 'Cancel the change of your email address that awaits confirmation',
    status: 204,
  },
  deleteMe: {
    id: 'deleteMe',
    method: 'POST',
    path: '/me/deletion',
    permission: 'account',
    recentSignIn: 'always',
    summary: 'Delete your account with memberships, sessions and consents; takes effect immediately',
    input: Type.Object(proof, closed),
    status: 204,
    noticeReply: Withdrawal,
  },
  changePassword: {
    id: 'changePassword',
    method: 'PUT',
    path: '/me/password',
    permission: 'account',
    recentSignIn: 'always',
    summary: 'Change your password; signs you out everywhere else',
    input: Type.Object({ current: Password, new: Password }, closed),
    status: 204,
  },
  listMySessions: {
    id: 'listMySessions',
    method: 'GET',
    path: '/me/sessions',
    permission: 'account',
    summary: 'List your sessions',
    status: 200,
    reply: list(Session),
  },
  endMyOtherSessions: {
    id: 'endMyOtherSessions',
    method: 'DELETE',
    path: '/me/sessions',
    permission: 'account',
    summary: 'Sign out everywhere except in this session; takes effect immediately',
    status: 204,
  },
  endMySession: {
    id: 'endMySession',
    method: 'DELETE',
    path: '/me/sessions/{sessionId}',
    permission: 'account',
    summary: 'Sign out one of your sessions with its applications; takes effect immediately',
    params: Type.Object({ sessionId: Type.String({ minLength: 1, maxLength: 100 }) }),
    status: 204,
  },
  listMyConsents: {
    id: 'listMyConsents',
    method: 'GET',
    path: '/me/consents',
    permission: 'account',
    summary: 'List your consents to applications',
    status: 200,
    reply: list(Consent),
  },
  withdrawMyConsent: {
    id: 'withdrawMyConsent',
    method: 'DELETE',
    path: '/me/consents/{clientId}',
    permission: 'account',
    summary: 'Revoke your consent to an application; takes effect immediately',
    params: Type.Object({
      clientId: Type.String({
        minLength: 1,
        maxLength: 255,
        description: 'Client ID, which may be the URL of a Client ID Metadata Document',
      }),
    }),
    status: 204,
  },
} as const satisfies Operations
