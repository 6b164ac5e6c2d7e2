/** The sign-in log: of a workspace, of the server, and a person's own. */
import { type Static, Type } from '#schema'
import { Party, Timestamp } from './fields.ts'
import { list, type Operations, Page, WorkspaceParams } from './operation.ts'

/**
 * - `sign-in`: an attempt with a password or passkey, or the use of an existing session for another application.
 * - `second-factor`: a code or passkey after the password.
 * - `token`: a rejected request at the token endpoint.
 * - `refusal`: an application's request for a sign-in that was rejected.
 */
export const signInKinds = ['sign-in', 'second-factor', 'token', 'refusal'] as const
export type SignInKind = (typeof signInKinds)[number]
export const SignInKind = Type.Unsafe<SignInKind>(Type.String({ enum: [...signInKinds] }))

export const signInMethods = ['password', 'passkey', 'code', 'recovery-code', 'session', 'provider'] as const
export type SignInMethod = (typeof signInMethods)[number]
export const SignInMethod = Type.Unsafe<SignInMethod>(Type.String({ enum: [...signInMethods] }))

const nullable = <T extends ReturnType<typeof Type.String>>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { description })

export const SignInEntry = Type.Object({
  id: Type.String(),
  at: Timestamp,
  kind: SignInKind,
  failed: Type.Boolean(),
  result: Type.String({
    description:
      "`ok`; `second-factor-needed` (the password was right); `claim-missing`, `claim-incomplete` or `claim-too-long` (a claim of the provider gave no groups or attributes, or not all); or why it failed: `wrong-password`, `wrong-code`, `wrong-passkey`, `throttled`, `reset-throttled` (too many requests for a new password), `not-a-member`, `second-factor-missing`, `provider-…` (the sign-in through a workspace's own OpenID provider), or an OAuth error",
  }),
  method: Type.Union([SignInMethod, Type.Null()]),
  user: Type.Union([Party, Type.Null()], {
    description:
      'The account, by e-mail address; null: no account has the address typed, or it has been removed',
  }),
  application: Type.Union([Party, Type.Null()], {
    description: 'The application by Client ID and name; null: none, or an unknown one',
  }),
  address: Type.String({ description: 'IP address' }),
  browser: nullable(Type.String(), 'Name and version of the browser, such as Firefox 145; null: unknown'),
  system: nullable(Type.String(), 'Operating system, such as Linux; null: unknown'),
  requestId: Type.String(),
})
export type SignInEntry = Static<typeof SignInEntry>

export const ServerSignInEntry = Type.Object({
  ...SignInEntry.properties,
  workspace: nullable(
    Type.String(),
    'Workspace of the application; null: an application of the server itself, or an unknown one',
  ),
})
export type ServerSignInEntry = Static<typeof ServerSignInEntry>

export const SignInOutcome = Type.Unsafe<'ok' | 'failed'>(
  Type.String({ enum: ['ok', 'failed'], description: 'Default: both' }),
)

const Filters = {
  outcome: Type.Optional(SignInOutcome),
  kind: Type.Optional(SignInKind),
  user: Type.Optional(
    Type.String({
      maxLength: 254,
      pattern: '^[^\\u0000]*$',
      description: 'Part of the e-mail address or name, ignoring case; or an id',
    }),
  ),
  application: Type.Optional(
    Type.String({ maxLength: 255, pattern: '^[^\\u0000]*$', description: 'Client ID' }),
  ),
  address: Type.Optional(
    Type.String({ maxLength: 45, pattern: '^[0-9A-Fa-f:.]*$', description: 'IP address, or its beginning' }),
  ),
  from: Type.Optional(Timestamp),
  to: Type.Optional(Timestamp),
}

const Paging = {
  ...Page.properties,
  after: Type.Optional(
    Type.String({ pattern: '^[0-9A-Za-z_-]{1,40}$', description: '`next` of the previous page' }),
  ),
}
const SignInQuery = Type.Object({ ...Paging, ...Filters })

/** Sign-ins of one day. */
export const SignInPoint = Type.Object({
  start: Timestamp,
  succeeded: Type.Integer({ description: 'Completed sign-ins' }),
  failed: Type.Integer({ description: 'Failed entries of every kind' }),
})

export const SignInCounts = Type.Object({
  points: Type.Array(SignInPoint, {
    description: 'One for each day (UTC), oldest first; the last one is today',
  }),
})
export type SignInCounts = Static<typeof SignInCounts>

const CountQuery = Type.Object({
  days: Type.Optional(Type.Integer({ minimum: 1, maximum: 366, default: 30 })),
})

export const signInOperations = {
  listServerSignIns: {
    id: 'listServerSignIns',
    method: 'GET',
    path: '/sign-ins',
    permission: 'operator',
    summary: 'List the sign-in log of the whole server, newest first',
    query: SignInQuery,
    status: 200,
    reply: list(ServerSignInEntry),
  },
  countServerSignIns: {
    id: 'countServerSignIns',
    method: 'GET',
    path: '/sign-ins/counts',
    permission: 'operator',
    summary: 'Count the sign-ins of the whole server by day',
    query: CountQuery,
    status: 200,
    reply: SignInCounts,
  },
  listSignIns: {
    id: 'listSignIns',
    method: 'GET',
    path: '/workspaces/{workspace}/sign-ins',
    permission: 'administer',
    summary:
      'List the sign-in log of a workspace, newest first: of its applications, and of its members in the console since they joined',
    params: WorkspaceParams,
    query: SignInQuery,
    status: 200,
    reply: list(SignInEntry),
  },
  countSignIns: {
    id: 'countSignIns',
    method: 'GET',
    path: '/workspaces/{workspace}/sign-ins/counts',
    permission: 'administer',
    summary: 'Count the sign-ins of a workspace by day',
    params: WorkspaceParams,
    query: CountQuery,
    status: 200,
    reply: SignInCounts,
  },
  listMySignIns: {
    id: 'listMySignIns',
    method: 'GET',
    path: '/me/sign-ins',
    permission: 'account',
    summary: 'List your sign-ins and failed attempts on your account, newest first',
    query: Type.Object({ ...Paging, outcome: Filters.outcome }),
    status: 200,
    reply: list(SignInEntry),
  },
} as const satisfies Operations
