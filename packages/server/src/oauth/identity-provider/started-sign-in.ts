/**
 * Sign-ins that have left for a provider. Each is in a cookie of its own, encrypted and named after its `state`, so that only the browser that
 * started it can finish it (login CSRF; RFC 9700, section 4.7), on any node. Nothing is stored until it comes back; then its `state` is, so
 * that it works once.
 */
import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Keyring } from '#keys/keyring'
import { createRecordEncryption } from '#keys/record-encryption'
import type { Cookies } from '#oauth/library/cookies'
import type { Db } from '#storage/db'
import { addRecord } from '#storage/oidc-records'
import type { SignInSecrets } from './relying-party.ts'

export interface StartedSignIn extends SignInSecrets {
  /** The sign-in that continues afterwards. */
  uid: string
  /** Application that the person signs in to. */
  clientId?: string
  workspaceId: string
  issuer: string
  maxAgeSeconds?: number
  loginHint?: string
  /** The administrator who tests the provider: nobody is signed in (provider-test.ts). */
  testerId?: string
  isRepeated: boolean
  isOffline: boolean
}

export interface StartedProviderSignIns {
  add(response: ServerResponse, signIn: StartedSignIn): Promise<void>
  /** Returns the sign-in of this `state`, and uses it up. Undefined: another browser started it, it was used, or ten minutes have passed. */
  take(request: IncomingMessage, response: ServerResponse, state: string): Promise<StartedSignIn | undefined>
}

const maxAgeSeconds = 10 * 60

const makeName = (state: string): string =>
  `provider_${createHash('sha256').update(state).digest('base64url').slice(0, 16)}`

/** Returns the cookie of a started sign-in. Undefined after the browser has received the reply that uses it up. */
export const readStartedCookie = (
  cookies: Cookies,
  request: IncomingMessage,
  state: string,
): string | undefined => cookies.read(request, makeName(state))

export const openStartedProviderSignIns = (
  db: Db,
  cookies: Cookies,
  keyring: Pick<Keyring, 'derive'>,
): StartedProviderSignIns => {
  const encryption = createRecordEncryption(keyring, 'sign-ins at providers')
  return {
    async add(response, signIn) {
      const payload = { ...signIn, expiresAt: Date.now() + maxAgeSeconds * 1000 }
      const value = await encryption.encrypt(signIn.state, payload)
      cookies.set(response, makeName(signIn.state), value, maxAgeSeconds)
    },
    async take(request, response, state) {
      const name = makeName(state)
      const value = cookies.read(request, name)
      if (value === undefined) return undefined
      cookies.set(response, name, '', 0)
      const payload = await encryption.decrypt(state, value)
      if (!payload || !(Number(payload.expiresAt) > Date.now())) return undefined
      const isNew = await addRecord(db, {
        model: 'ProviderSignIn',
        id: state,
        payload: {},
        expiresAt: Number(payload.expiresAt),
      })
      // Written only by `add`; the cipher authenticates it.
      return isNew ? (payload as unknown as StartedSignIn) : undefined
    },
  }
}
