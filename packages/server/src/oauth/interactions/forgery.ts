/**
 * Protects forms against cross-site request forgery (RFC 9700, section 4.7; OWASP ASVS 5.0, V3.5.1): by the
 * browser's fetch metadata, and by a token that only our page has. The token is a MAC of the form's path with
 * a key in an HttpOnly cookie, so it fits only this browser and interaction.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Cookies } from '#oauth/library/cookies'
import { tokenField } from '#oauth/pages/form'

export interface FormTokens {
  /** Returns the token for a form sent to `pathname`; sets the cookie if there is none. */
  tokenFor(request: IncomingMessage, response: ServerResponse, pathname: string): string
  isForged(request: IncomingMessage, pathname: string, fields: ReadonlyMap<string, string>): boolean
  /** Sets the cookie if there is none, for a form of the library. */
  ensureKey(request: IncomingMessage, response: ServerResponse): void
}

const cookieName = 'form'
const keyFormat = /^[A-Za-z0-9_-]{43}$/

const computeToken = (key: string, pathname: string): string =>
  createHmac('sha256', key).update(pathname).digest('base64url')

/** Returns the key of the browser's forms, which no page and no other browser knows. */
export const readFormKey = (cookies: Cookies, request: IncomingMessage): string | undefined => {
  const key = cookies.read(request, cookieName)
  return key !== undefined && keyFormat.test(key) ? key : undefined
}

/**
 * Checks header fields that pages cannot set. Other origins of the same machine or domain are cross-site too.
 */
export const isCrossSite = ({ headers }: IncomingMessage, authUrl: string): boolean =>
  (headers.origin !== undefined && headers.origin !== authUrl) ||
  !['same-origin', 'none', undefined].includes(headers['sec-fetch-site']?.toString())

export const openFormTokens = (cookies: Cookies, authUrl: string): FormTokens => {
  const readOrSetKey = (request: IncomingMessage, response: ServerResponse): string => {
    const existingKey = readFormKey(cookies, request)
    if (existingKey !== undefined) return existingKey
    const key = randomBytes(32).toString('base64url')
    cookies.set(response, cookieName, key)
    return key
  }
  return {
    tokenFor: (request, response, pathname) => computeToken(readOrSetKey(request, response), pathname),
    isForged(request, pathname, fields) {
      const key = readFormKey(cookies, request)
      if (key === undefined || isCrossSite(request, authUrl)) return true
      return !isSameText(fields.get(tokenField) ?? '', computeToken(key, pathname))
    },
    ensureKey: (request, response) => {
      readOrSetKey(request, response)
    },
  }
}

/**
 * Compares two texts in constant time. Compares bytes, because untrusted text may have more bytes than
 * characters.
 */
export const isSameText = (a: string, b: string): boolean => {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
