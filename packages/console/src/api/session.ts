/**
 * Signing in, and tokens. The console is a public client of its own authorization server: authorization code with PKCE. Tokens are kept in
 * memory alone, so a reloaded page asks again; who has a session at the authorization server comes back without seeing a page.
 */
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type Configuration,
  calculatePKCECodeChallenge,
  discovery,
  None,
  ResponseBodyError,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  refreshTokenGrant,
} from 'openid-client'
import { authUrl, managementAudience, queryAudience } from './addresses.ts'

/** Who is signed in. */
export interface Person {
  email: string
  name: string
}

interface Token {
  text: string
  /** Milliseconds since the epoch. */
  expiresAt: number
}

interface Session {
  person: Person
  idToken: string
  refreshToken: string | undefined
}

/** What is remembered while the person is at the login. */
interface PendingSignIn {
  state: string
  nonce: string
  verifier: string
  to: string
  /** What was not saved there, and by whom. */
  unsaved?: { text: string; email: string }
}

const clientId = 'console'
const startUrl = `${authUrl}/console/`
const redirectUri = `${startUrl}callback`
const pendingKey = 'querent.sign-in'
const signedOutKey = 'querent.signed-out'
/** Between the tabs of a browser: one has signed out. */
const tabs = new BroadcastChannel('querent.session')
/** A token is asked anew when it is good for less than this. */
const leewayMs = 30_000

let session: Session | undefined
const tokens = new Map<string, Token>()
/** Refresh tokens are used once: requests for tokens wait for one another. */
let lastRefresh: Promise<unknown> = Promise.resolve()
let metadata: Promise<Configuration> | undefined
let isLeaving = false
/** Of the page that is open. */
let unsavedText: (() => string | undefined) | undefined
/** Text that was not saved before the sign-in, and where. */
let recovered: { location: string; text: string } | undefined

const configuration = (): Promise<Configuration> => {
  // On loopback it is http; the server itself refuses http elsewhere.
  const isPlain = location.protocol === 'http:'
  metadata ??= discovery(new URL(`${authUrl}/`), clientId, undefined, None(), {
    execute: isPlain ? [allowInsecureRequests] : [],
  }).catch(error => {
    metadata = undefined
    throw error
  })
  return metadata
}

export const person = (): Person | undefined => session?.person

/** Leaves for the login, and never resolves. `to` is the place in the console to come back to, such as `/console/you`. */
export const signIn = async (to: string): Promise<never> => {
  const text = unsavedText?.()
  const pending: PendingSignIn = {
    state: randomState(),
    nonce: randomNonce(),
    verifier: randomPKCECodeVerifier(),
    to,
    ...(text !== undefined && session ? { unsaved: { text, email: session.person.email } } : {}),
  }
  const url = buildAuthorizationUrl(await configuration(), {
    redirect_uri: redirectUri,
    scope: 'openid profile email offline_access',
    state: pending.state,
    nonce: pending.nonce,
    code_challenge: await calculatePKCECodeChallenge(pending.verifier),
    code_challenge_method: 'S256',
  })
  // One token opens one audience (RFC 8707, section 2.2): the second comes with the refresh token.
  for (const audience of [managementAudience, queryAudience]) url.searchParams.append('resource', audience)
  savePending(pending)
  isLeaving = true
  location.replace(url)
  return new Promise<never>(() => {})
}

/** Without the text where it is too long to be kept. */
const savePending = ({ unsaved, ...pending }: PendingSignIn): void => {
  try {
    sessionStorage.setItem(pendingKey, JSON.stringify({ ...pending, unsaved }))
  } catch {
    sessionStorage.setItem(pendingKey, JSON.stringify(pending))
  }
}

/** Whether the page is left for the login: what it keeps over that need not be asked about. */
export const isLeavingForLogin = (): boolean => isLeaving

/** Keeps what a page has not saved over a sign-in. Gives what ends that. */
export const keepDuringSignIn = (text: () => string | undefined): (() => void) => {
  unsavedText = text
  return () => {
    unsavedText = undefined
  }
}

/** What was not saved at this place before the same person signed in again. */
export const readRecoveredText = (): string | undefined =>
  recovered?.location === currentLocation() ? recovered.text : undefined

export const clearRecovered = (): void => {
  recovered = undefined
}

/** Takes the answer that stands in the address bar, and gives the place to go on to. Throws the authorization server's error. */
export const finishSignIn = async (address: string): Promise<string> => {
  const pending = takePending()
  // A callback opened from the history, or in another tab: nothing was asked here.
  if (!pending) return startUrl
  const answer = await authorizationCodeGrant(
    await configuration(),
    new URL(address),
    { pkceCodeVerifier: pending.verifier, expectedState: pending.state, expectedNonce: pending.nonce },
    { resource: managementAudience },
  )
  const claims = answer.claims()
  const email = typeof claims?.email === 'string' ? claims.email : (claims?.sub ?? '')
  session = {
    person: { email, name: typeof claims?.name === 'string' ? claims.name : email },
    idToken: answer.id_token ?? '',
    refreshToken: answer.refresh_token,
  }
  storeToken(managementAudience, answer.access_token, answer.expires_in)
  const { unsaved, to } = pending
  if (unsaved?.email === email) recovered = { location: to, text: unsaved.text }
  return pending.to.startsWith('/console/') ? pending.to : startUrl
}

const takePending = (): PendingSignIn | undefined => {
  const text = sessionStorage.getItem(pendingKey)
  sessionStorage.removeItem(pendingKey)
  // Written by `signIn` above, in this tab.
  return text === null ? undefined : (JSON.parse(text) as PendingSignIn)
}

const storeToken = (audience: string, text: string, expiresInSeconds = 60): string => {
  tokens.set(audience, { text, expiresAt: Date.now() + expiresInSeconds * 1000 })
  return text
}

const cachedToken = (audience: string): string | undefined => {
  const token = tokens.get(audience)
  return token && token.expiresAt - Date.now() > leewayMs ? token.text : undefined
}

/** Gives access tokens for an audience; leaves for the login when there are none to be had any more. */
const createTokenSource = (audience: string) => async (): Promise<string> => {
  const token = cachedToken(audience)
  if (token !== undefined) return token
  const request = lastRefresh.then(() => cachedToken(audience) ?? refresh(audience))
  lastRefresh = request.catch(() => {})
  return request
}

const refresh = async (audience: string): Promise<string> => {
  if (session?.refreshToken === undefined) return signIn(currentLocation())
  try {
    const answer = await refreshTokenGrant(await configuration(), session.refreshToken, {
      resource: audience,
    })
    session.refreshToken = answer.refresh_token ?? session.refreshToken
    return storeToken(audience, answer.access_token, answer.expires_in)
  } catch (error) {
    // The session has ended, here or elsewhere. A server that is away says nothing of the kind.
    if (error instanceof ResponseBodyError && error.error === 'invalid_grant')
      return signIn(currentLocation())
    throw error
  }
}

/** The next requests get new tokens: the server may have ended the ones in memory. */
export const clearTokens = (): void => tokens.clear()

export const managementToken = createTokenSource(managementAudience)
export const queryToken = createTokenSource(queryAudience)

/** The place in the console where one is. */
export const currentLocation = (): string => location.pathname + location.search

/** Ends the session at the authorization server too. By a form: no token belongs into a URL (RFC 9700, section 4.3.2). */
export const signOut = (): void => {
  const form = document.createElement('form')
  form.method = 'post'
  form.action = `${authUrl}/logout`
  const fields = {
    id_token_hint: session?.idToken ?? '',
    client_id: clientId,
    post_logout_redirect_uri: startUrl,
  }
  for (const [name, value] of Object.entries(fields)) {
    const input = document.createElement('input')
    input.type = 'hidden'
    input.name = name
    input.value = value
    form.append(input)
  }
  document.body.append(form)
  session = undefined
  tokens.clear()
  sessionStorage.setItem(signedOutKey, 'yes')
  form.submit()
}

/**
 * Has every tab go to the login when one has signed out: it says so when it is back, for before that the others would be signed in again
 * by the session that is about to end. The server has refused their tokens since.
 */
export const followOtherTabs = (): void => {
  if (sessionStorage.getItem(signedOutKey) !== null) {
    sessionStorage.removeItem(signedOutKey)
    tabs.postMessage('signed out')
  }
  tabs.onmessage = () => {
    if (session && !isLeaving) void signIn(currentLocation())
  }
}
