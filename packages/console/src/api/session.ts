/**
 * Sign-in and tokens. The console is a public client of its own authorization server: authorization code with PKCE. Tokens are only kept in
 * memory, so a reloaded page requests them again; a person with a session there returns without seeing a page.
 */
import {
  ApiError,
  finishAuthorization,
  type PendingAuthorization,
  readIdToken,
  refreshAccessToken,
  startAuthorization,
  type TokenReply,
} from '@querent/client'
import { authUrl, managementAudience, queryAudience } from './addresses.ts'

/** The signed-in person. */
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
  /** Milliseconds since the epoch, by the clock of this machine. */
  signedInAt: number
  grantedAt: number
  /** Authentication level. */
  level: string | undefined
}

/** State kept in sessionStorage during the sign-in. */
interface PendingSignIn extends PendingAuthorization {
  to: string
  /** Required authentication level. */
  level?: string | undefined
  /** Unsaved text, and the e-mail address of its author. */
  unsaved?: { text: string; email: string }
}

const clientId = 'console'
const startUrl = `${authUrl}/console/`
const client = { authUrl, clientId, redirectUri: `${startUrl}callback` }
const pendingKey = 'querent.sign-in'
const signedOutKey = 'querent.signed-out'
/** Tells the other tabs of the browser about a sign-out. */
const tabs = new BroadcastChannel('querent.session')
/** A token is renewed when less than this is left. */
const leewayMs = 30_000

let session: Session | undefined
const tokens = new Map<string, Token>()
/** A refresh token works once, so token requests wait for one another. */
let lastRefresh: Promise<unknown> = Promise.resolve()
let isLeaving = false
/** Returns the unsaved text of the open page. */
let unsavedText: (() => string | undefined) | undefined
/** Unsaved text from before the sign-in, and its page. */
let recovered: { location: string; text: string } | undefined

export const person = (): Person | undefined => session?.person

/**
 * Opens the sign-in page and never resolves. `to` is the page to return to, such as `/console/you`. `level`: required authentication level
 * (RFC 9470). `maxAgeSeconds`: highest age of the sign-in; an older session has to prove itself again. `unsaved`: what the person typed there
 * ({@link readRecoveredText}), instead of the text of {@link keepDuringSignIn}.
 */
export const signIn = async (
  to: string,
  {
    level,
    maxAgeSeconds,
    unsaved,
  }: { level?: string | undefined; maxAgeSeconds?: number; unsaved?: string } = {},
): Promise<never> => {
  const text = unsaved ?? unsavedText?.()
  const { address, pending } = await startAuthorization(client, {
    scope: 'openid profile email offline_access',
    acr_values: level,
    max_age: maxAgeSeconds?.toString(),
    // One token opens one audience (RFC 8707, section 2.2): the second comes with the refresh token.
    resource: [managementAudience, queryAudience],
  })
  savePending({
    ...pending,
    to,
    level,
    ...(text !== undefined && session ? { unsaved: { text, email: session.person.email } } : {}),
  })
  isLeaving = true
  location.replace(address)
  return new Promise<never>(() => {})
}

/** Stores the state, without the text if it is too long. */
const savePending = ({ unsaved, ...pending }: PendingSignIn): void => {
  try {
    sessionStorage.setItem(pendingKey, JSON.stringify({ ...pending, unsaved }))
  } catch {
    sessionStorage.setItem(pendingKey, JSON.stringify(pending))
  }
}

/** True while the page leaves for the sign-in, which keeps unsaved text: then no warning is needed. */
export const isLeavingForLogin = (): boolean => isLeaving

/** Keeps the unsaved text of a page during a sign-in. Returns a function that stops it. */
export const keepDuringSignIn = (text: () => string | undefined): (() => void) => {
  unsavedText = text
  return () => {
    unsavedText = undefined
  }
}

/** Returns the text of this page that the same person had not saved before the sign-in. */
export const readRecoveredText = (): string | undefined =>
  recovered?.location === currentLocation() ? recovered.text : undefined

export const clearRecovered = (): void => {
  recovered = undefined
}

/**
 * Completes the sign-in with the code in the address, and returns the page to open. A person who set up no second factor gets the list of
 * workspaces, which says so. Throws other errors of the authorization server.
 */
export const finishSignIn = async (address: string): Promise<string> => {
  const pending = takePending()
  // The callback was opened from the history or in another tab.
  if (!pending) return startUrl
  const parameters = new URL(address).searchParams
  const workspace = readWorkspace(pending.to)
  if (pending.level !== undefined && workspace !== undefined && parameters.get('error') === 'access_denied')
    return `${startUrl}workspaces?${new URLSearchParams({ withoutFactor: workspace })}`
  const reply = await finishAuthorization(client, pending, parameters, managementAudience)
  const claims = readIdToken(reply.id_token)
  const email = claims?.email ?? claims?.sub ?? ''
  session = {
    person: { email, name: claims?.name ?? email },
    idToken: reply.id_token ?? '',
    refreshToken: reply.refresh_token,
    ...readAuthentication(reply.access_token),
  }
  storeToken(managementAudience, reply)
  const { unsaved, to } = pending
  if (unsaved?.email === email) recovered = { location: to, text: unsaved.text }
  return pending.to.startsWith('/console/') ? pending.to : startUrl
}

/** Returns the workspace of a page of the console. */
const readWorkspace = (page: string): string | undefined => /^\/console\/w\/([^/?]+)/.exec(page)?.[1]

/** Reads when and how the person signed in. Only the server's own client may know the form of its access tokens (RFC 9068, section 2.2.1). */
const readAuthentication = (accessToken: string): Pick<Session, 'signedInAt' | 'grantedAt' | 'level'> => {
  const [, payload = ''] = accessToken.split('.')
  const claims: { iat: number; auth_time?: number; acr?: string } = JSON.parse(
    atob(payload.replaceAll('-', '+').replaceAll('_', '/')),
  )
  const now = Date.now()
  const { iat, auth_time: signedInSeconds = iat, acr: level } = claims
  return { grantedAt: now, signedInAt: now - (iat - signedInSeconds) * 1000, level }
}

/** Whether the person signed in within this time, and with this level if one is given. The server decides. */
export const isSignInRecent = (maxAgeSeconds: number, level: string | undefined): boolean => {
  if (!session || (level !== undefined && session.level !== level)) return false
  const { signedInAt, grantedAt } = session
  return Date.now() - Math.min(signedInAt, grantedAt) <= maxAgeSeconds * 1000
}

const takePending = (): PendingSignIn | undefined => {
  const text = sessionStorage.getItem(pendingKey)
  sessionStorage.removeItem(pendingKey)
  // `signIn` stored it in this tab.
  return text === null ? undefined : (JSON.parse(text) as PendingSignIn)
}

const storeToken = (audience: string, { access_token: text, expires_in }: TokenReply): string => {
  tokens.set(audience, { text, expiresAt: Date.now() + expires_in * 1000 })
  return text
}

const cachedToken = (audience: string): string | undefined => {
  const token = tokens.get(audience)
  return token && token.expiresAt - Date.now() > leewayMs ? token.text : undefined
}

/** Returns access tokens for an audience. Opens the sign-in page if the session has ended. */
const createTokenSource = (audience: string) => async (): Promise<string> => {
  const token = cachedToken(audience)
  if (token !== undefined) return token
  const request = lastRefresh.then(() => cachedToken(audience) ?? refresh(audience))
  // The caller gets the failure; the next one only waits for its turn.
  lastRefresh = request.catch(() => {})
  return request
}

const refresh = async (audience: string): Promise<string> => {
  if (session?.refreshToken === undefined) return signIn(currentLocation())
  try {
    const { refreshToken } = session
    const reply = await refreshAccessToken({ authUrl, clientId, refreshToken, resource: audience })
    session.refreshToken = reply.refresh_token ?? refreshToken
    return storeToken(audience, reply)
  } catch (error) {
    // Only invalid_grant means that the session has ended, not an unreachable server.
    if (error instanceof ApiError && error.code === 'invalid_grant') return signIn(currentLocation())
    throw error
  }
}

/** Makes the next requests get new tokens, because the server may have revoked the ones in memory. */
export const clearTokens = (): void => tokens.clear()

export const managementToken = createTokenSource(managementAudience)
export const queryToken = createTokenSource(queryAudience)

/** Returns the current path and search. */
export const currentLocation = (): string => location.pathname + location.search

/** Also ends the session at the authorization server. It posts a form, to keep tokens out of URLs (RFC 9700, section 4.3.2). */
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
 * Sends every tab to the sign-in page after one has signed out. The first tab notifies the others when it returns: earlier, the ending session
 * would sign them in again. The server already rejects their tokens.
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
