/** Cookies with secrets that a page shows for some minutes: encrypted, and tied to one person and session. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Keyring } from '#keys/keyring'
import { createRecordEncryption } from '#keys/record-encryption'
import type { Cookies } from '#oauth/library/cookies'

/** Person, and public name of the session. */
interface Owner {
  accountId: string
  uid: string
}

export interface SealedCookies {
  set(response: ServerResponse, name: string, owner: Owner, payload: Record<string, unknown>): Promise<void>
  /** Undefined: there is none, or it is of another person or session, or too old. */
  read(request: IncomingMessage, name: string, owner: Owner): Promise<Record<string, unknown> | undefined>
  clear(response: ServerResponse, name: string): void
}

const maxAgeSeconds = 10 * 60

export const openSealedCookies = (cookies: Cookies, keyring: Pick<Keyring, 'derive'>): SealedCookies => {
  const encryption = createRecordEncryption(keyring, 'page secrets')
  const makeId = (name: string, { accountId, uid }: Owner) => JSON.stringify([name, accountId, uid])
  return {
    async set(response, name, owner, payload) {
      const expiresAt = Date.now() + maxAgeSeconds * 1000
      const value = await encryption.encrypt(makeId(name, owner), { ...payload, expiresAt })
      cookies.set(response, name, value, maxAgeSeconds)
    },
    async read(request, name, owner) {
      const value = cookies.read(request, name)
      const payload = value === undefined ? undefined : await encryption.decrypt(makeId(name, owner), value)
      return Number(payload?.expiresAt) > Date.now() ? payload : undefined
    },
    clear(response, name) {
      cookies.set(response, name, '', 0)
    },
  }
}
