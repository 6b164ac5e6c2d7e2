/**
 * Pages that change second factors need a sign-in of the last five minutes, with a second factor if the person
 * has one. Otherwise the person signs in at `/authorize` like for an application, with `max_age`, and returns.
 */
import { randomBytes } from 'node:crypto'
import { twoFactorLevel } from '@querent/contract/authentication-levels'
import { hasTwoFactors } from '#oauth/library/authentication'
import { providerAccountPage } from '#oauth/pages/account-pages'
import { findPerson } from '#oauth/sessions/accounts'
import { consoleClientId } from '#storage/clients'
import { hasSecondFactor } from '#storage/second-factors'
import type { UserRow } from '#storage/users'
import { type BrowserSession, browserSession } from './browser-session.ts'
import { emailPaths, factorPaths } from './factor-paths.ts'
import type { Answer, Handler, PageDependencies, PageRequest } from './page-request.ts'

export interface SignedIn {
  person: UserRow
  session: BrowserSession
}

export const freshSeconds = 5 * 60

/** Leaves time for the way back from the sign-in. */
const leewaySeconds = 30

/** Returns the signed-in person, or the redirect to the sign-in. `isFresh`: signed in within five minutes. */
export const requireSignIn = async (
  deps: PageDependencies,
  pageRequest: PageRequest,
  { isFresh }: { isFresh: boolean },
): Promise<{ signedIn: SignedIn } | { answer: Answer }> => {
  const session = await browserSession(deps, pageRequest)
  const person = session && (await findPerson(deps.directory, session.accountId))
  if (!session || !person)
    return { answer: { seeOther: makeSignInUrl(deps, pageRequest, { isFresh, acr: false }) } }
  // Its administrators choose the provider, so it must not change the account.
  if (session.login.providerSignIn) {
    const signInUrl = `${makeSignInUrl(deps, pageRequest, { isFresh, acr: false })}&prompt=login`
    return { answer: { page: providerAccountPage(pageRequest.locale, { email: person.email, signInUrl }) } }
  }
  if (!isFresh) return { signedIn: { person, session } }
  const hasFactor = await hasSecondFactor(deps.storage.db, person.id)
  const ageSeconds = Date.now() / 1000 - (session.login.ts ?? 0)
  if (ageSeconds <= freshSeconds + leewaySeconds && (!hasFactor || hasTwoFactors(session.login)))
    return { signedIn: { person, session } }
  return { answer: { seeOther: makeSignInUrl(deps, pageRequest, { isFresh, acr: hasFactor }) } }
}

/** The console's client is the server's own, so the sign-in asks for no consent. Nobody redeems the code. */
export const makeSignInUrl = (
  { authUrl }: PageDependencies,
  { pathname, locale }: PageRequest,
  { isFresh, acr }: { isFresh: boolean; acr: boolean },
): string => {
  const query = new URLSearchParams({
    client_id: consoleClientId,
    response_type: 'code',
    scope: 'openid',
    redirect_uri: authUrl + factorPaths.signedIn,
    state: pathname,
    code_challenge: randomBytes(32).toString('base64url'),
    code_challenge_method: 'S256',
    ui_locales: locale.language,
    ...(isFresh && { max_age: String(freshSeconds) }),
    ...(acr && { acr_values: twoFactorLevel }),
  })
  return `/authorize?${query}`
}

/** `/factors/signed-in`: back from the sign-in. `state` is untrusted, so it leads to our own pages only. */
export const returnFromSignIn: Handler = async (deps, pageRequest) => {
  const { query } = pageRequest
  const state = query.get('state') ?? ''
  // Canceled.
  if (query.has('error'))
    return { seeOther: (await browserSession(deps, pageRequest)) ? factorPaths.overview : '/' }
  const isOurs =
    state === emailPaths.confirm ||
    /^\/provider\/[a-z0-9-]{1,63}\/test$/.test(state) ||
    (/^\/factors(\/[\w-]{1,1400})*$/.test(state) && state !== factorPaths.signedIn)
  return { seeOther: isOurs ? state : factorPaths.overview }
}
