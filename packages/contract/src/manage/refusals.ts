/** Reasons why requests are rejected. */
import { type Static, Type } from '#schema'
import { Party, Timestamp } from './fields.ts'
import { closed, type Operations, WorkspaceParams } from './operation.ts'

/** The checks of a request in their order (query-service.md, "Why was I refused?"). */
export const checkNames = [
  'token',
  'issuer',
  'signature',
  'audience',
  'clock',
  'proof',
  'revocation',
  'client',
  'account',
  'client-workspace',
  'membership',
  'membership-end',
  'role',
  'second-factor',
  'api',
  'collection',
  'row-filter',
] as const

export const CheckName = Type.Unsafe<(typeof checkNames)[number]>(Type.String({ enum: [...checkNames] }))

export const Check = Type.Object({
  name: CheckName,
  passed: Type.Union([Type.Boolean(), Type.Null()], {
    description: 'null: not run, because an earlier check failed',
  }),
  message: Type.String(),
  expected: Type.Optional(Type.String()),
  found: Type.Optional(Type.String()),
  account: Type.Optional(
    Type.Object(Party.properties, {
      description: 'The checked account; absent: not run, or the account has been removed',
    }),
  ),
})
export type Check = Static<typeof Check>

export const Inspection = Type.Object({
  allowed: Type.Boolean(),
  header: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()]),
  claims: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()]),
  checks: Type.Array(Check),
})
export type Inspection = Static<typeof Inspection>

export const Refusal = Type.Object({
  requestId: Type.String(),
  at: Timestamp,
  status: Type.Integer(),
  workspace: Type.String(),
  path: Type.String(),
  subject: Type.Union([Type.String(), Type.Null()]),
  clientId: Type.Union([Type.String(), Type.Null()]),
  checks: Type.Array(Check),
})
export type Refusal = Static<typeof Refusal>

/** Rejected requests of one account through one client, for one reason. */
export const RefusalGroup = Type.Object({
  reason: CheckName,
  status: Type.Integer(),
  message: Type.String({ description: 'Reason of the latest one' }),
  account: Type.Union([Party, Type.Null()], {
    description: 'null: the token did not prove an account, or the account has been removed',
  }),
  client: Type.Union([Party, Type.Null()], {
    description: 'null: the token did not prove a client, or the client has been removed',
  }),
  count: Type.Integer({ description: 'Recorded requests; a flood is recorded in part' }),
  firstAt: Timestamp,
  lastAt: Timestamp,
  requestId: Type.String({ description: 'The latest one' }),
})
export type RefusalGroup = Static<typeof RefusalGroup>

export const refusalOperations = {
  listRefusals: {
    id: 'listRefusals',
    method: 'GET',
    path: '/workspaces/{workspace}/refusals',
    permission: 'administer',
    summary:
      'List the rejected requests of the last 24 hours by account, client and reason, latest first: at most 200 groups of the newest 2,000 requests',
    params: WorkspaceParams,
    query: Type.Object({
      account: Type.Optional(
        Type.String({
          maxLength: 254,
          description:
            'Part of an e-mail address or name, or a whole id, of the account or the client; ignores case',
        }),
      ),
      reason: Type.Optional(CheckName),
    }),
    status: 200,
    reply: Type.Object({ items: Type.Array(RefusalGroup) }),
  },
  inspectToken: {
    id: 'inspectToken',
    method: 'POST',
    path: '/tokens/inspect',
    permission: 'account',
    summary: 'Check why a request with this token is allowed or rejected',
    input: Type.Object(
      {
        token: Type.String({ minLength: 1, maxLength: 16 * 1024 }),
        workspace: Type.Optional(Type.String({ maxLength: 63 })),
        api: Type.Optional(Type.String({ maxLength: 63 })),
      },
      closed,
    ),
    status: 200,
    reply: Inspection,
  },
  getRefusal: {
    id: 'getRefusal',
    method: 'GET',
    path: '/refusals/{requestId}',
    permission: 'account',
    summary: 'Get the reason why a request was rejected; stored for 24 hours',
    params: Type.Object({ requestId: Type.String({ minLength: 1, maxLength: 100 }) }),
    status: 200,
    reply: Refusal,
  },
} as const satisfies Operations
