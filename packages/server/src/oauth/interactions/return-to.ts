/**
 * Remembers in a cookie for which application each sign-in of this browser was, newest first. The library
 * forgets it when the sign-in ends, but its page must still offer a next step. The cookie is untrusted: its
 * origin must belong to a registered redirect URI.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type Provider from 'oidc-provider'
import type { Cookies } from '#oauth/library/cookies'
import type { RequestingApplication } from '#oauth/library/interaction-types'
import { interactionSeconds } from '#oauth/library/lifetime'
import type { NextLink } from '#oauth/pages/next-link'
import { isMetadataDocumentId } from '#storage/clients'

const cookieName = 'came_from'
/** As many as a browser has open (started-sign-ins.ts), and no more than a request header has room for. */
const entriesMax = 16
const cookieBytesMax = 2500
const maxAgeSeconds = 24 * 60 * 60

interface Entry {
  uid: string
  clientId: string
  /** Origin of the application. */
  origin: string
}

const readEntries = (cookies: Cookies, request: IncomingMessage): Entry[] =>
  (cookies.read(request, cookieName) ?? '')
    .split('.', entriesMax)
    .map(entry => {
      const [uid = '', clientId = '', origin = ''] = entry.split('~')
      return { uid, clientId, origin: Buffer.from(origin, 'base64url').toString() }
    })
    .filter(({ uid }) => /^[\w-]{1,64}$/.test(uid))

export const rememberReturnTo = (
  cookies: Cookies,
  { request, response }: { request: IncomingMessage; response: ServerResponse },
  uid: string,
  { clientId, sendsBackTo }: RequestingApplication,
): void => {
  const entries = readEntries(cookies, request)
  // Nobody returns to a device by a link. An unregistered application has no registered address to check.
  if (isMetadataDocumentId(clientId)) return
  if (entries[0]?.uid === uid || sendsBackTo === undefined) return
  const allEntries = [{ uid, clientId, origin: sendsBackTo }, ...entries.filter(entry => entry.uid !== uid)]
  const serialized = allEntries
    .slice(0, entriesMax)
    .map(entry => [entry.uid, entry.clientId, Buffer.from(entry.origin).toString('base64url')].join('~'))
  while (serialized.length > 1 && serialized.join('.').length > cookieBytesMax) serialized.pop()
  cookies.set(response, cookieName, serialized.join('.'), maxAgeSeconds)
}

/** Returns the link from an ended sign-in to its application, if that is known and has a page. */
export const findNextLink = async (
  cookies: Cookies,
  request: IncomingMessage,
  provider: Provider,
  uid: string,
): Promise<NextLink> => {
  const entry = readEntries(cookies, request).find(candidate => candidate.uid === uid)
  const client = entry && (await provider.Client.find(entry.clientId))
  if (client?.applicationType === 'native')
    return { kind: 'native', title: client.clientName ?? entry?.clientId ?? '' }
  if (!entry || !client?.redirectUris?.some(uri => isOnOrigin(uri, entry.origin))) return { kind: 'console' }
  // The console has this server's origin.
  if (`${entry.origin}/` === provider.issuer) return { kind: 'console' }
  return { kind: 'application', href: `${entry.origin}/`, title: client.clientName ?? entry.origin }
}

const isOnOrigin = (uri: string, origin: string): boolean => {
  const url = URL.parse(uri)
  return url !== null && /^https?:$/.test(url.protocol) && url.origin === origin
}

/** Returns the path of this browser's newest unfinished sign-in. */
export const findPendingSignIn = async (
  cookies: Cookies,
  request: IncomingMessage,
  provider: Provider,
): Promise<string | undefined> => {
  for (const { uid } of readEntries(cookies, request))
    if (await provider.Interaction.find(uid)) return `/interaction/${uid}`
  return undefined
}

/** Links to the pending sign-in, otherwise to the console. */
export const findPendingSignInOrConsole = async (
  cookies: Cookies,
  request: IncomingMessage,
  provider: Provider,
): Promise<NextLink> => {
  const href = await findPendingSignIn(cookies, request, provider)
  return href === undefined ? { kind: 'console' } : { kind: 'sign-in', href }
}

/** The sign-in that continues after setting a second factor up. */
const setupCookie = 'factor_for'

export const rememberSetup = (cookies: Cookies, response: ServerResponse, uid: string): void =>
  cookies.set(response, setupCookie, uid, interactionSeconds)

/** Returns the path of the unfinished sign-in that awaits a second factor. */
export const findSetupSignIn = async (
  cookies: Cookies,
  request: IncomingMessage,
  provider: Provider,
): Promise<string | undefined> => {
  const uid = cookies.read(request, setupCookie) ?? ''
  const isPending = /^[\w-]{1,64}$/.test(uid) && (await provider.Interaction.find(uid)) !== undefined
  return isPending ? `/interaction/${uid}` : undefined
}
