/** The session of a browser outside an application's request, by what the library's documentation names. */
import { makeCookieSettings } from '#oauth/sessions/cookies'
import { acrByPassword } from '#oauth/sessions/policy'
import { describeDevice } from '#oauth/sessions/session-device'
import { sessionIdleSeconds } from '#oauth/tokens/lifetime'
import { endSession } from '#storage/sessions'
import type { PageDependencies, PageRequest } from './page-request.ts'

export interface BrowserSession {
  accountId: string
  uid: string
  /** When and how the person signed in, as the library takes it. */
  login: { ts?: number; amr?: string[]; acr?: string }
}

/** Undefined: nobody is signed in. */
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

/** Signs out here, as a logout does: what applications got in this session ends with it. */
export const endBrowserSession = async (
  deps: Pick<PageDependencies, 'provider' | 'storage'>,
  pageRequest: Pick<PageRequest, 'request' | 'response'>,
): Promise<void> => {
  const session = await browserSession(deps, pageRequest)
  if (session) await deps.storage.write(writer => endSession(writer, session.accountId, session.uid))
}

/**
 * Signs a person in who just typed or chose their password. The session is a new one, whatever cookie the browser sent (session
 * fixation; OWASP ASVS 5.0, V7.2.4), and that of whoever was signed in before ends.
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
  // The library, which does it where a person comes back to it, is not at hand here (library.ts).
  Object.assign(session, { opened: describeDevice(pageRequest.request, pageRequest.address) })
  await session.save(sessionIdleSeconds)
  const { cookies: jar } = provider.createContext(pageRequest.request, pageRequest.response)
  const expires = new Date(session.exp * 1000)
  jar.set(provider.cookieName('session'), session.jti, {
    ...makeCookieSettings(deps.authUrl, []).long,
    expires,
  })
}
