/**
 * Sign-in of a person in a page, by authorization code with PKCE (RFC 6749, section 4.1; RFC 7636). The tabs of a browser share one sign-in, and
 * one of them at a time renews its token. Needs a secure context: https, or http on localhost.
 */
import { buildAddress, trimTrailingSlashes } from './address.ts'
import { refreshAccessToken, revokeToken, type TokenReply, usableUntilMs } from './auth.ts'
import { finishAuthorization, type PendingAuthorization, startAuthorization } from './authorization-code.ts'
import { ApiError, SignInRequiredError } from './errors.ts'
import { type Person, readIdToken } from './pkce.ts'
import type { TokenSource } from './send.ts'
import { browserStore, parseJson, type StoredSignIn, tabStore } from './sign-in-store.ts'

export interface BrowserSignInSettings {
  authUrl: string
  /** A registered application of type `browser`. */
  clientId: string
  /** URL of the query service, which the access token is for. */
  audience: string
  /** A redirect URI of the application, default `{origin}/callback`. Call `finish` there. */
  redirectUri?: string
  /** Default `openid profile email offline_access`. Without `offline_access`, the person signs in again when the token expires. */
  scope?: string
  /**
   * `browser` (default): all tabs share the sign-in, which is in IndexedDB. `tab`: each tab signs in by itself, and its tokens go when it
   * closes. A script that an attacker brings into your page can read both: allow only your own (Content-Security-Policy).
   */
  share?: 'browser' | 'tab'
}

/** The parts of a page that sign-in uses. The package compiles without the types of browsers, so that programs for Node see none. */
interface Page {
  location: { origin: string; href: string; assign(address: string): void }
  history: { replaceState(data: null, unused: '', address: string): void }
  addEventListener(type: 'storage', listener: (event: StorageChange) => void): void
}
interface StorageChange {
  /** Null if everything was removed. */
  key: string | null
}
/** Read when it is used, so that this file also loads where there is no page. */
const page = globalThis as unknown as Page

/** State of a sign-in under way, in sessionStorage. */
interface PendingSignIn extends PendingAuthorization {
  returnTo: string
}

export interface BrowserSignIn {
  /**
   * Returns an access token. Renews it shortly before it expires, in one tab for all. Throws {@link SignInRequiredError} if nobody is signed
   * in or the sign-in has ended, and `ApiError` or `UnreachableError` if the server fails.
   */
  token: TokenSource
  /** The signed-in person, or undefined. */
  person(): Person | undefined
  /** Opens the sign-in page. The page ends there, so the promise never resolves. `returnTo`: where `finish` leads, default this page. */
  start(options?: { returnTo?: string; loginHint?: string }): Promise<never>
  /**
   * Completes the sign-in with the answer in the address, which it removes from the history. Returns `returnTo`. Throws `ApiError` with the
   * OAuth error as its code, such as `access_denied`, or `state-mismatch` if this tab did not start the sign-in.
   */
  finish(address?: string): Promise<string>
  /** True at the redirect URI with an answer: call `finish`. */
  isCallback(address?: string): boolean
  /** Ends the sign-in in all tabs and revokes its tokens. Then opens the server's sign-out page, which returns to `returnTo`, if it is given. */
  end(options?: { returnTo?: string }): Promise<void>
  /** Calls `listener` when another tab signs in or out. Returns a function that stops it. */
  onChange(listener: (person: Person | undefined) => void): () => void
}

/** Creates the sign-in of one application. Two of the same settings share their state. */
export const browserSignIn = (settings: BrowserSignInSettings): BrowserSignIn => {
  const { authUrl, clientId, audience, scope = 'openid profile email offline_access' } = settings
  const { share = 'browser', redirectUri = `${page.location.origin}/callback` } = settings
  const key = `querent:${trimTrailingSlashes(authUrl)}:${clientId}:${audience}`
  const app: Application = { authUrl, clientId, audience, scope, redirectUri, pendingKey: `${key}:pending` }
  const shared = openSharedSignIn(key, share)
  const watch = watchPerson(shared)

  /** Callers of this tab share one renewal. */
  let renewal: Promise<string> | undefined
  return {
    person: shared.person,
    async token() {
      const accessToken = shared.usableToken()
      if (accessToken !== undefined) return accessToken
      renewal ??= shared
        .withLock(() => renew(app, shared))
        .finally(() => {
          renewal = undefined
        })
      return renewal
    },
    async start({ returnTo = page.location.href, loginHint } = {}) {
      page.location.assign(await startFlow(app, returnTo, loginHint))
      return new Promise<never>(() => {})
    },
    isCallback(address = page.location.href) {
      const { origin, pathname, searchParams } = new URL(address)
      return `${origin}${pathname}` === redirectUri && (searchParams.has('code') || searchParams.has('error'))
    },
    async finish(address = page.location.href) {
      const { reply, returnTo } = await finishFlow(app, new URL(address).searchParams)
      await shared.withLock(() => shared.save(reply, {}))
      watch.accept(shared.person())
      return returnTo
    },
    async end({ returnTo } = {}) {
      const stored = await shared.withLock(async () => {
        const last = await shared.read()
        await shared.clear()
        return last
      })
      watch.accept(undefined)
      if (stored)
        // The person is signed out here in any case. The tokens of an unreachable server expire.
        await revokeToken(authUrl, clientId, stored.refreshToken ?? stored.accessToken).catch(() => {})
      if (returnTo !== undefined)
        page.location.assign(
          buildAddress(authUrl, '/logout', {
            client_id: clientId,
            id_token_hint: stored?.idToken,
            post_logout_redirect_uri: returnTo,
          }),
        )
    },
    onChange: watch.onChange,
  }
}

type Application = Required<
  Pick<BrowserSignInSettings, 'authUrl' | 'clientId' | 'audience' | 'scope' | 'redirectUri'>
> & {
  /** Where this tab keeps its {@link PendingSignIn}. */
  pendingKey: string
}

/** Remembers the sign-in under way. Returns the address to open. */
const startFlow = async (
  { authUrl, clientId, audience, scope, redirectUri, pendingKey }: Application,
  returnTo: string,
  loginHint: string | undefined,
): Promise<string> => {
  const parameters = { scope, audience, login_hint: loginHint }
  const { address, pending } = await startAuthorization({ authUrl, clientId, redirectUri }, parameters)
  sessionStorage.setItem(pendingKey, JSON.stringify({ ...pending, returnTo } satisfies PendingSignIn))
  return address
}

/** Checks the answer of the server, and redeems its code. */
const finishFlow = async (
  { authUrl, clientId, redirectUri, pendingKey }: Application,
  answer: URLSearchParams,
): Promise<{ reply: TokenReply; returnTo: string }> => {
  const pending = parseJson<PendingSignIn>(sessionStorage.getItem(pendingKey))
  sessionStorage.removeItem(pendingKey)
  // Nobody else should see the code in the history.
  page.history.replaceState(null, '', pending?.returnTo ?? redirectUri)
  const reply = await finishAuthorization({ authUrl, clientId, redirectUri }, pending, answer)
  return { reply, returnTo: pending?.returnTo ?? redirectUri }
}

/** Returns a new access token, or the one that another tab got meanwhile. Call it with the lock. */
const renew = async ({ authUrl, clientId, audience }: Application, shared: SharedSignIn): Promise<string> => {
  const stored = await shared.read()
  const accessToken = shared.usableToken()
  if (accessToken !== undefined) return accessToken
  const { refreshToken, idToken }: Partial<StoredSignIn> = stored ?? {}
  if (refreshToken === undefined)
    throw new SignInRequiredError(stored ? 'the access token has expired' : 'nobody is signed in')
  try {
    const reply = await refreshAccessToken({ authUrl, clientId, refreshToken, resource: audience })
    return await shared.save(reply, { refreshToken, ...(idToken === undefined ? {} : { idToken }) })
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'invalid_grant')) throw error
    await shared.clear()
    throw new SignInRequiredError('the sign-in has ended', error)
  }
}

type SharedSignIn = ReturnType<typeof openSharedSignIn>

/** The stored sign-in, which tabs share unless `share` is `tab`. */
const openSharedSignIn = (key: string, share: 'browser' | 'tab') => {
  const store = share === 'tab' ? tabStore(key) : browserStore(key)
  /** Holds the claims of the person: it can be read at once, and tells other tabs about changes. */
  const notices = share === 'tab' ? sessionStorage : localStorage
  const personKey = `${key}:person`
  /** Spares reading the store. Forgotten when another tab signs in or out. */
  let cached: StoredSignIn | undefined

  return {
    personKey,
    person: () => parseJson<Person>(notices.getItem(personKey)),
    usableToken: (): string | undefined =>
      cached && Date.now() < cached.usableUntilMs ? cached.accessToken : undefined,
    /** Reads the store: another tab may have renewed the sign-in or ended it. */
    async read(): Promise<StoredSignIn | undefined> {
      cached = await store.read()
      return cached
    },
    forget(): void {
      cached = undefined
    },
    /** Returns the access token. `last`: what the reply may leave out. */
    async save(reply: TokenReply, last: Partial<StoredSignIn>): Promise<string> {
      const refreshToken = reply.refresh_token ?? last.refreshToken
      const idToken = reply.id_token ?? last.idToken
      cached = {
        accessToken: reply.access_token,
        usableUntilMs: usableUntilMs(reply, Date.now()),
        ...(refreshToken === undefined ? {} : { refreshToken }),
        ...(idToken === undefined ? {} : { idToken }),
      }
      await store.write(cached)
      notices.setItem(personKey, JSON.stringify(readIdToken(idToken) ?? {}))
      return cached.accessToken
    },
    async clear(): Promise<void> {
      cached = undefined
      await store.write(undefined)
      notices.removeItem(personKey)
    },
    /** Web Locks are shared by all tabs of an origin and released when a tab closes. */
    withLock: <T>(work: () => Promise<T>): Promise<T> =>
      share === 'tab' ? work() : navigator.locks.request(key, work),
  }
}

/** Tells listeners when another tab signs in or out. */
const watchPerson = (shared: SharedSignIn) => {
  const listeners = new Set<(person: Person | undefined) => void>()
  let lastSub = shared.person()?.sub
  page.addEventListener('storage', ({ key: changedKey }) => {
    if (changedKey !== shared.personKey && changedKey !== null) return
    shared.forget()
    const now = shared.person()
    if (now?.sub !== lastSub) for (const listener of listeners) listener(now)
    lastSub = now?.sub
  })
  return {
    /** This tab has signed in or out: that is no news. */
    accept(person: Person | undefined): void {
      lastSub = person?.sub
    },
    onChange(listener: (person: Person | undefined) => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
