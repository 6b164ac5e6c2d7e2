/** The browser's session outside of an application's request, through the library's documented API. */

import type { Authentication } from '#oauth/library/authentication'
import { sessionIdleSeconds } from '#oauth/library/lifetime'
import { type ProviderSignIn, readProviderSignIn } from '#oauth/library/provider-sign-in'
import { makeCookieSettings } from '#oauth/sessions/cookies'
import { describeDevice } from '#oauth/sessions/session-device'
import { endSession } from '#storage/sessions'
import type { PageDependencies, PageRequest } from './page-request.ts'

export interface BrowserSession {
  accountId: string
  uid: string
  /** When and how the person signed in, in the library's form. */
  login: { ts?: number; amr?: string[]; acr?: string; providerSignIn?: ProviderSignIn }
}

/** Undefined if nobody is signed in. */
export const browserSession = async (
  { provider }: Pick<PageDependencies, 'provider'>,
  { request, response }: Pick<PageRequest, 'request' | 'response'>,
): Promise<BrowserSession | undefined> => {
  const { Session } = provider()
  const session = await Session.get(provider().createContext(request, response))
  const { accountId, uid, loginTs: ts, amr, acr } = session
  if (accountId === undefined) return undefined
  const providerSignIn = readProviderSignIn(session)
  return {
    accountId,
    uid,
    login: {
      ...(ts && { ts }),
      ...(amr && { amr }),
      ...(acr && { acr }),
      ...(providerSignIn && { providerSignIn }),
    },
  }
}

/** Signs out here like a logout: ends what applications got in this session. */
export const endBrowserSession = async (
  deps: Pick<PageDependencies, 'provider' | 'storage' | 'repeatedForms'>,
  pageRequest: Pick<PageRequest, 'request' | 'response'>,
): Promise<void> => {
  const session = await browserSession(deps, pageRequest)
  if (!session) return
  await deps.storage.write(writer => endSession(writer, session.accountId, session.uid))
  await deps.repeatedForms.forget(pageRequest.request)
}

/**
 * Signs in a person who just authenticated. Always starts a new session, whatever cookie the
 * browser sent (session fixation; OWASP ASVS 5.0, V7.2.4), and ends that of a previous person.
 */
export const startBrowserSession = async (
  deps: Pick<PageDependencies, 'provider' | 'storage' | 'authUrl' | 'repeatedForms'>,
  pageRequest: Pick<PageRequest, 'request' | 'response' | 'address'>,
  accountId: string,
  { amr, acr }: Authentication,
): Promise<void> => {
  await endBrowserSession(deps, pageRequest)
  const provider = deps.provider()
  const session = new provider.Session()
  session.loginAccount({ accountId, amr, acr })
  // The library does this when a sign-in returns to it; that code is not available here
  // (oidc-provider-internals.ts).
  Object.assign(session, { opened: describeDevice(pageRequest.request, pageRequest.address) })
  await session.save(sessionIdleSeconds)
  setSessionCookie(deps, pageRequest, session)
}

/**
 * Raises the browser's session after its person proved a second factor in it. Keeps its grants and the time of
 * the sign-in. The session gets a new cookie (OWASP ASVS 5.0, V7.2.4).
 */
export const raiseBrowserSession = async (
  deps: Pick<PageDependencies, 'provider' | 'authUrl'>,
  pageRequest: Pick<PageRequest, 'request' | 'response'>,
  { amr, acr }: Authentication,
): Promise<void> => {
  const provider = deps.provider()
  const session = await provider.Session.get(
    provider.createContext(pageRequest.request, pageRequest.response),
  )
  const { accountId, loginTs } = session
  if (accountId === undefined || loginTs === undefined) return
  session.loginAccount({ accountId, loginTs, amr, acr })
  session.resetIdentifier()
  await session.persist()
  setSessionCookie(deps, pageRequest, session)
}

const setSessionCookie = (
  deps: Pick<PageDependencies, 'provider' | 'authUrl'>,
  pageRequest: Pick<PageRequest, 'request' | 'response'>,
  session: { exp: number; jti: string },
): void => {
  const provider = deps.provider()
  const { cookies: jar } = provider.createContext(pageRequest.request, pageRequest.response)
  const expires = new Date(session.exp * 1000)
  jar.set(provider.cookieName('session'), session.jti, {
    ...makeCookieSettings(deps.authUrl, []).long,
    expires,
  })
}
