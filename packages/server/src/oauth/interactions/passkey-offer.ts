/**
 * Offers a passkey after a sign-in with a password alone, on devices that can keep one. People who decline are not
 * asked again in this browser.
 */
import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Cookies } from '#oauth/library/cookies'
import type { InteractionDetails } from '#oauth/library/interaction-types'
import { factorPaths } from './factor-paths.ts'
import type { PageDependencies, PageRequest } from './page-request.ts'

const cookieName = 'no_passkey_offer'
const maxAgeSeconds = 180 * 24 * 60 * 60
/** People who share a browser. */
const entriesMax = 8

const hashId = (userId: string): string =>
  createHash('sha256').update(userId).digest('base64url').slice(0, 16)

const readEntries = (cookies: Cookies, request: IncomingMessage): string[] =>
  (cookies.read(request, cookieName) ?? '').split('.', entriesMax).filter(entry => entry !== '')

/** Whether to offer a passkey to a person without a second factor. The script of the page fills in `offer_passkey`. */
export const shouldOfferPasskey = (
  { cookies, passkeys, authUrl }: PageDependencies,
  { request, fields }: PageRequest,
  { params }: InteractionDetails,
  userId: string,
): boolean =>
  passkeys.isAvailable &&
  fields?.get('offer_passkey') === 'yes' &&
  // These pages offer it themselves.
  params.redirect_uri !== authUrl + factorPaths.signedIn &&
  !readEntries(cookies, request).includes(hashId(userId))

/** Remembers that the person declined. */
export const declinePasskey = (
  cookies: Cookies,
  request: IncomingMessage,
  response: ServerResponse,
  userId: string,
): void => {
  const entries = new Set([hashId(userId), ...readEntries(cookies, request)])
  cookies.set(response, cookieName, [...entries].slice(0, entriesMax).join('.'), maxAgeSeconds)
}
