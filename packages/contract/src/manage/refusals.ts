/** Reasons why requests are rejected. */
import { type Static, Type } from '#schema'
import { Timestamp } from './fields.ts'
import { closed, type Operations } from './operation.ts'

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
  'role',
  'row-filter',
] as const

export const Check = Type.Object({
  name: Type.Unsafe<(typeof checkNames)[number]>(Type.String({ enum: [...checkNames] })),
  passed: Type.Union([Type.Boolean(), Type.Null()], {
    description: 'null: not run, because an earlier check failed',
  }),
  message: Type.String(),
  expected: Type.Optional(Type.String()),
  found: Type.Optional(Type.String()),
  account: Type.Optional(
    Type.Object(
      {
        id: Type.String(),
        name: Type.String({ description: 'E-mail address, or name of an account or application' }),
      },
      { description: 'The checked account; absent: not run, or the account has been removed' },
    ),
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

export const refusalOperations = {
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
