/**
 * Sign-ins with a correct password that wait for the second factor. Kept in a cookie, which fits one page, one
 * person and the current password, and is worth nothing without the second factor.
 */
import { createHmac } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Keyring } from '#keys/keyring'
import type { Cookies } from '#oauth/library/cookies'
import type { Db } from '#storage/db'
import { findUser, type UserRow } from '#storage/users'
import { isSameText } from './forgery.ts'

export interface PendingSignIns {
  /** The person typed the right password on the page at `pathname`. */
  start(response: ServerResponse, pathname: string, person: UserRow): void
  /** Returns the person whose second factor the page at `pathname` awaits. Undefined after 10 minutes, or if disabled. */
  find(request: IncomingMessage, pathname: string): Promise<UserRow | undefined>
  end(response: ServerResponse): void
}

const cookieName = 'pending_sign_in'
const maxAgeSeconds = 10 * 60

export const openPendingSignIns = (
  db: Db,
  cookies: Cookies,
  keyring: Pick<Keyring, 'derive'>,
): PendingSignIns => {
  const key = keyring.derive('pending sign-ins')
  const computeMac = (pathname: string, { id, password_hash }: UserRow, startedAt: string): string =>
    createHmac('sha256', key)
      .update(JSON.stringify([pathname, id, password_hash, startedAt]))
      .digest('base64url')
  return {
    start(response, pathname, person) {
      const startedAt = String(Date.now())
      const value = [person.id, startedAt, computeMac(pathname, person, startedAt)].join('~')
      cookies.set(response, cookieName, value, maxAgeSeconds)
    },
    async find(request, pathname) {
      const [id = '', startedAt = '', mac = ''] = (cookies.read(request, cookieName) ?? '').split('~')
      if (!(Number(startedAt) > Date.now() - maxAgeSeconds * 1000)) return undefined
      const person = await findUser(db, id)
      if (!person || person.disabled === 1) return undefined
      return isSameText(mac, computeMac(pathname, person, startedAt)) ? person : undefined
    },
    end(response) {
      cookies.set(response, cookieName, '', 0)
    },
  }
}
