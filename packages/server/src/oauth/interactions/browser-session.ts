/** The browser's session outside of an application's request, through the library's documented API. */
import { makeCookieSettings } from '#oauth/sessions/cookies'
import { acrByPassword } from '#oauth/sessions/policy'
import { describeDevice } from '#oauth/sessions/session-device'
import { sessionIdleSeconds } from '#oauth/tokens/lifetime'
import { endSession } from '#storage/sessions'
import type { PageDependencies, PageRequest } from './page-request.ts'

export interface BrowserSession {
  accountId: string
  uid: string
  /** When and how the person signed in, in the library's form. */
  login: { ts?: number; amr?: string[]; acr?: string }
}

/** Undefined if nobody is signed in. */
export const browserSession = async (
  { provider }: Pick<PageDependencies, 'provider'>,
  { request, response }: Pick<PageRequest, 'request' | 'response'>,
): Promise<BrowserSession | undefined> => {
  const { Session } = provider()
  const {
    accountId,
    uid,
    loginTs: ts,
    amr,
    acr,
  } = await Session.get(provider().createContext(request, response))
  if (accountId === undefined) return undefined
  return { accountId, uid, login: { ...(ts && { ts }), ...(amr && { amr }), ...(acr && { acr }) } }
}

/** Signs out here like a logout: ends what applications got in this session. */
export const endBrowserSession = async (
  deps: Pick<PageDependencies, 'provider' | 'storage'>,
  pageRequest: Pick<PageRequest, 'request' | 'response'>,
): Promise<void> => {
  const session = await browserSession(deps, pageRequest)
  if (session) await deps.storage.write(writer => endSession(writer, session.accountId, session.uid))
}

/**
 * Signs in a person who just typed or chose their password. Always starts a new session, whatever cookie the
 * browser sent (session fixation; OWASP ASVS 5.0, V7.2.4), and ends that of a previous person.
 */
export const startBrowserSession = async (
  deps: Pick<PageDependencies, 'provider' | 'storage' | 'authUrl'>,
  pageRequest: Pick<PageRequest, 'request' | 'response' | 'address'>,
  accountId: string,
): Promise<void> => {
  await endBrowserSession(deps, pageRequest)
  const provider = deps.provider()
  const session = new provider.Session()
  session.loginAccount({ accountId, amr: ['pwd'], acr: acrByPassword })
  // The library does this when a sign-in returns to it; that code is not available here
  // (oidc-provider-internals.ts).
  Object.assign(session, { opened: describeDevice(pageRequest.request, pageRequest.address) })
  await session.save(sessionIdleSeconds)
  const { cookies: jar } = provider.createContext(pageRequest.request, pageRequest.response)
  const expires = new Date(session.exp * 1000)
  jar.set(provider.cookieName('session'), session.jti, {
    ...makeCookieSettings(deps.authUrl, []).long,
    expires,
  })
}
