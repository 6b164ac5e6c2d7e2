/**
 * All access to oidc-provider's internals; the rest of the folder uses only its documented API. Check these
 * assumptions on an upgrade. Tests of this folder fail if one no longer holds.
 * - Registration calls `idFactory` after it has parsed the body and before it reads the metadata from `ctx.oidc.body`, and emits
 * `registration_create.success` once the reply is set.
 * - `Client.find` and `Client.prototype.compareClientSecret` can be replaced, and every endpoint uses them.
 * - `new provider.Client(metadata)` creates a client without storing it.
 * - The original `Client.find` resolves the URL of a Client ID Metadata Document if no stored client has that
 * id, and returns another object each time.
 * - Client authentication at `machineRoutes` looks a client up once. It answers 401 `invalid_client` with the
 * same bytes for a missing client and a wrong secret.
 * - Revocation and introspection authenticate the client before they reject a JWT with
 * `unsupported_token_type`.
 * - The authorization and token endpoints call `Client.find` after reading the parameters, before checking
 * anything. The endpoint for pushed requests calls it after parsing the body, and reads the parameters from
 * `ctx.oidc.body` after the authentication.
 * - The endpoint for device codes does both: it calls `Client.find` again after reading the parameters.
 * - Errors of a typed user code have the names of `userCodeErrors`.
 * - The stored `request` of a pushed authorization request is a JWT of its parameters.
 * - `AccessToken.prototype.getValueAndPayload` returns the client's value and the payload stored under `jti`
 * (none for a JWT). `AccessToken.find` is the only way back, and `new AccessToken(payload)` makes a token of a
 * payload. `/userinfo` filters the token's `claims.userinfo` by those of its grant.
 * - `Session.IN_PAYLOAD` lists stored fields, and `Session.prototype.loginAccount` is called on sign-in.
 * - The reply of `response_mode=web_message` is a page with a script that has the response as one line of JSON.
 * - `new IdToken(claims, { client })`, its `mask`, `set` and `issue({ use: 'logout' })` make a logout token, and a confirmed logout calls
 * `Client.prototype.backchannelLogout`.
 * - `Client.prototype.includeSid` says whether ID tokens have `sid`, that of `session.authorizations` of the client.
 * - The reply of `response_mode=form_post` is a page with one self-submitting form of escaped hidden fields.
 */

import { randomBytes, randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import Provider, { type KoaContextWithOIDC } from 'oidc-provider'
import { isMetadataDocumentId } from '#storage/clients'
import type { FormPost, WebMessage } from './interaction-types.ts'
import type { Clients, LoadedClient } from './loaded-client.ts'

export type LibraryClient = InstanceType<Provider['Client']>

export interface ClientSource {
  find: Clients['find']
  /** Returns the metadata of a client (RFC 7591, section 2), without a secret. */
  metadata(client: LoadedClient): { client_id: string }
  /**
   * Whether the client may authenticate with this secret. `clientId`: as sent, also for an unknown client.
   * Throws a library error to give the reason.
   */
  authenticate(client: LoadedClient, secret: string, request: IncomingMessage, clientId: string): boolean
  /**
   * Checks the parameters of a request before the library does, with the client they name. Throws a library
   * error.
   */
  prepare(ctx: KoaContextWithOIDC, client: LoadedClient | undefined): void
  /** Checks a request of an unregistered client before its document is fetched. Throws a library error. */
  prepareDocument(ctx: KoaContextWithOIDC): Promise<void>
  /** Describes a client of the library with a Client ID Metadata Document in our form. */
  loadDocument(client: LibraryClient): LoadedClient
}

/** Routes with client authentication, by the library's names. */
const machineRoutes: ReadonlySet<string> = new Set([
  'token',
  'revocation',
  'introspection',
  'pushed_authorization_request',
  'device_authorization',
])

/**
 * Placeholder for unknown clients, so that a wrong Client ID takes as long as a wrong secret and gets the
 * same bytes.
 */
const placeholderClient: LoadedClient = {
  row: {
    id: 'nobody',
    name: 'nobody',
    kind: 'system-to-system',
    workspaceId: '',
    disabled: false,
    createdAt: 0,
    settings: { addresses: [] },
  },
  secrets: [],
  mayComeFrom: () => true,
  slug: undefined,
  application: undefined,
}

/** Stored clients were validated, so a rejection by the library is our fault, not the caller's. */
const construct = (
  Constructor: new (metadata: object) => LibraryClient,
  metadata: { client_id: string; client_secret: string },
): LibraryClient => {
  try {
    return new Constructor(metadata)
  } catch (cause) {
    throw new Error(`the stored client ${metadata.client_id} cannot be used`, { cause })
  }
}

/**
 * Makes the provider get clients and secrets from `source`. By itself it needs secrets in clear and caches
 * 100 clients by a hash of their metadata. Returns lookups in both directions; undefined for the placeholder.
 */
export const installClients = (
  provider: Provider,
  source: ClientSource,
): {
  findLoadedClient: (client: LibraryClient) => LoadedClient | undefined
  getLibraryClient: (loadedClient: LoadedClient) => LibraryClient
} => {
  const { Client } = provider
  const libraryClients = new WeakMap<LoadedClient, LibraryClient>()
  const loadedClients = new WeakMap<LibraryClient, LoadedClient>()
  // The library requires a secret in clear; nobody knows this one.
  const placeholder = randomBytes(32).toString('base64url')

  const makeLibraryClient = (loadedClient: LoadedClient): LibraryClient => {
    const existing = libraryClients.get(loadedClient)
    if (existing) return existing
    // The constructor is missing in the published types.
    const Constructor = Client as unknown as new (metadata: object) => LibraryClient
    const client = construct(Constructor, { ...source.metadata(loadedClient), client_secret: placeholder })
    libraryClients.set(loadedClient, client)
    loadedClients.set(client, loadedClient)
    return client
  }
  const findByLibrary = Client.find.bind(Client)
  /** The library asks again to report an error, which would fetch a document that failed twice. */
  const lookups = new WeakMap<IncomingMessage, { id: string; client: Promise<LibraryClient | undefined> }>()
  const findOnce = (request: IncomingMessage, id: string): Promise<LibraryClient | undefined> => {
    const lookup = lookups.get(request)
    if (lookup?.id === id) return lookup.client
    const client = findByLibrary(id)
    lookups.set(request, { id, client })
    return client
  }
  const findByDocument = async (id: string): Promise<LibraryClient | undefined> => {
    const { ctx } = Provider
    // Outside of a request, only an untrusted cookie names one (return-to.ts).
    if (!ctx) return undefined
    await source.prepareDocument(ctx)
    const client = await findOnce(ctx.req, id)
    if (!client) return undefined
    const loadedClient = source.loadDocument(client)
    loadedClients.set(client, loadedClient)
    source.prepare(ctx, loadedClient)
    return client
  }
  const clientIdByRequest = new WeakMap<IncomingMessage, string>()
  Client.find = async id => {
    const request = Provider.ctx?.req
    if (request) clientIdByRequest.set(request, id)
    const documentClient = isMetadataDocumentId(id) ? await findByDocument(id) : undefined
    if (documentClient) return documentClient
    const loadedClient = await source.find(id, request)
    if (Provider.ctx) source.prepare(Provider.ctx, loadedClient)
    if (loadedClient) return makeLibraryClient(loadedClient)
    return machineRoutes.has(Provider.ctx?.oidc.route ?? '')
      ? makeLibraryClient(placeholderClient)
      : undefined
  }
  Client.prototype.compareClientSecret = function (this: LibraryClient, secret: string) {
    const loadedClient = loadedClients.get(this)
    const request = Provider.ctx?.req
    if (loadedClient === undefined || request === undefined) return false
    return source.authenticate(loadedClient, secret, request, clientIdByRequest.get(request) ?? '')
  }
  // Every ID token names its session, so that a logout knows whether it is of this browser (sessions/logout.ts).
  Object.assign(Client.prototype, { includeSid: () => true })
  // Sends from a queue (sessions/logout-delivery.ts), so that a logout does not wait for applications.
  Client.prototype.backchannelLogout = async () => {}
  return {
    findLoadedClient(client) {
      const loadedClient = loadedClients.get(client)
      return loadedClient === placeholderClient ? undefined : loadedClient
    },
    getLibraryClient: makeLibraryClient,
  }
}

/** Makes a logout token (OpenID Connect Back-Channel Logout 1.0, section 2.4), signed like the client's ID tokens. */
export const makeLogoutToken = (
  { IdToken }: Provider,
  client: LibraryClient,
  { userId, sid }: { userId: string; sid: string },
): Promise<string> => {
  // The published type requires a context, which only claims of an ID token need.
  const Constructor = IdToken as unknown as new (
    available: object,
    options: object,
  ) => { mask: object; set(name: string, value: unknown): void; issue(options: object): Promise<string> }
  const token = new Constructor({ sub: userId }, { client, ctx: undefined })
  token.mask = { sub: null }
  token.set('events', { 'http://schemas.openid.net/event/backchannel-logout': {} })
  token.set('jti', randomUUID())
  token.set('sid', sid)
  return token.issue({ use: 'logout' })
}

/**
 * Stores the result of `describe` for the request of a sign-in, as `opened` of the session, and that of
 * `findProviderSignIn` as `providerSignIn`, in the same record.
 */
export const recordSessionDevices = (
  provider: Provider,
  describe: (request: IncomingMessage) => object,
  findProviderSignIn: (request: IncomingMessage, amr: readonly string[] | undefined) => object | undefined,
): void => {
  const { Session } = provider
  // Missing in the published types.
  const { IN_PAYLOAD: payloadFields } = Session as unknown as { IN_PAYLOAD: string[] }
  Object.defineProperty(Session, 'IN_PAYLOAD', { value: [...payloadFields, 'opened', 'providerSignIn'] })
  const { loginAccount } = Session.prototype
  Session.prototype.loginAccount = function (details) {
    loginAccount.call(this, details)
    if (!Provider.ctx) return
    const { req } = Provider.ctx
    const providerSignIn = findProviderSignIn(req, details.amr)
    Object.assign(this, { opened: describe(req), providerSignIn })
  }
}

/** Reads the self-submitting page of form_post. Undefined: `body` is something else. */
export const readFormPost = (body: unknown): FormPost | undefined => {
  if (typeof body !== 'string' || !body.includes('document.forms[0].submit()')) return undefined
  const [, action = ''] = /<form method="post" action="([^"]*)">/.exec(body) ?? []
  const inputs = body.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"\/>/g)
  const fields = [...inputs].map(([, name = '', value = '']) => [name, unescapeHtml(value)] as const)
  if (action === '' || fields.length === 0) throw new Error('the page of form_post is not what it was')
  return { action: unescapeHtml(action), fields }
}

/** Names of the library's errors that show the form for user codes again. */
const userCodeErrors = {
  NoCodeError: 'missing',
  NotFoundError: 'unknown',
  ExpiredError: 'expired',
  AlreadyUsedError: 'used',
  AbortedError: 'aborted',
} as const

/** Returns why the library did not accept a user code. Undefined: for another reason. */
export const readUserCodeError = (
  error: Error | undefined,
): (typeof userCodeErrors)[keyof typeof userCodeErrors] | undefined =>
  Object.entries(userCodeErrors).find(([name]) => name === error?.name)?.[1]

/**
 * Keeps the library from storing a new session after an error, which fails. The error page has no form that
 * needs it.
 */
export const discardNewSession = ({ oidc }: KoaContextWithOIDC): void => {
  if (oidc.session && 'new' in oidc.session) Object.assign(oidc.session, { touched: false })
}

/** Reads the page of web_message. Undefined: `body` is something else. */
export const readWebMessage = (body: unknown): WebMessage | undefined => {
  if (typeof body !== 'string' || !body.includes('authorization_response')) return undefined
  const [, json] = /^ *var data = (\{.*\});$/m.exec(body) ?? []
  if (json === undefined) throw new Error('the page of web_message is not what it was')
  // Written by the library.
  const data = JSON.parse(json) as { redirect_uri: string; response: Record<string, string> }
  return { origin: new URL(data.redirect_uri).origin, fields: Object.entries(data.response) }
}

const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
}
/** The library escapes exactly these five. */
const unescapeHtml = (html: string): string =>
  html.replaceAll(/&[^;]*;/g, entity => entities[entity] ?? entity)

/** A stored access token: without a resource, for `/userinfo` only. */
export interface StoredToken {
  jti: string
  accountId: string
  clientId: string
  grantId: string | undefined
  scope: string
  /** Thumbprint of the key that it is bound to (RFC 9449). */
  jkt?: string
  /** Seconds since 1970. */
  iat: number
  exp: number
}

/** A stored token by the id of its record, or what the record of another token would say. */
export type FoundToken = { recordId: string } | { payload: StoredToken }

/**
 * Makes stored access tokens go out as `write` returns them, and finds them as `read` returns them. The stored
 * value alone is useless.
 */
export const writeStoredTokens = (
  provider: Provider,
  {
    write,
    read,
  }: { write(token: StoredToken): string; read(token: string): Promise<FoundToken | undefined> },
): void => {
  const { AccessToken, Grant } = provider
  const find = AccessToken.find.bind(AccessToken)
  const findWritten = async (token: string, options?: { ignoreExpiration?: boolean }) => {
    const foundToken = await read(token)
    if (!foundToken) return undefined
    if ('recordId' in foundToken) return find(foundToken.recordId, options)
    const { grantId } = foundToken.payload
    const grant = grantId === undefined ? undefined : await Grant.find(grantId)
    // The grant has exactly the claims that the request named.
    const userinfo = Object.fromEntries(grant?.getOIDCClaims().map(name => [name, null]) ?? [])
    // The published type of the constructor leaves these fields out.
    const properties = { ...foundToken.payload, kind: 'AccessToken', claims: { userinfo } }
    return new AccessToken(properties as unknown as ConstructorParameters<typeof AccessToken>[0])
  }
  // The published type returns the class it is called on: this one.
  AccessToken.find = findWritten as typeof AccessToken.find
  // Missing in the published types.
  const prototype = AccessToken.prototype as unknown as {
    getValueAndPayload(): Promise<{ value: string; payload?: Record<string, unknown> }>
  }
  const originalMethod = prototype.getValueAndPayload
  prototype.getValueAndPayload = async function () {
    const record = await originalMethod.call(this)
    // Payload that the library stores for a person's access token.
    return record.payload ? { ...record, value: write(record.payload as unknown as StoredToken) } : record
  }
}
