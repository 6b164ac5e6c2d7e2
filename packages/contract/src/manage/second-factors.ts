/** Second factors of people. They change on pages of the authorization server, after a fresh sign-in. */
import { type Static, Type } from '#schema'
import { Timestamp } from './fields.ts'
import type { Operations } from './operation.ts'
import { UserParams } from './users.ts'

const times = { createdAt: Timestamp, lastUsedAt: Type.Union([Timestamp, Type.Null()]) }

export const AuthenticatorApp = Type.Object(times)
export const Passkey = Type.Object({ id: Type.String(), name: Type.String(), ...times })

/** A person's second factors, without secrets. */
export const SecondFactors = Type.Object({
  app: Type.Union([AuthenticatorApp, Type.Null()], { description: 'Authenticator app; null: none' }),
  passkeys: Type.Array(Passkey),
  recoveryCodes: Type.Integer({ description: 'Number of unused recovery codes' }),
})
export type SecondFactors = Static<typeof SecondFactors>

export const secondFactorOperations = {
  listMyFactors: {
    id: 'listMyFactors',
    method: 'GET',
    path: '/me/factors',
    permission: 'account',
    summary: 'List your second factors; you change them at {auth_url}/factors',
    status: 200,
    reply: SecondFactors,
  },
  listFactors: {
    id: 'listFactors',
    method: 'GET',
    path: '/users/{email}/factors',
    permission: 'operator',
    summary: 'List the second factors of a user',
    params: UserParams,
    status: 200,
    reply: SecondFactors,
  },
  removeFactors: {
    id: 'removeFactors',
    method: 'DELETE',
    path: '/users/{email}/factors',
    permission: 'operator',
    recentSignIn: 'own-account',
    summary: 'Remove all second factors of a user, who is signed out everywhere and told by mail',
    params: UserParams,
    status: 204,
  },
} as const satisfies Operations
