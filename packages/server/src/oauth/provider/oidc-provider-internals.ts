/**
 * The one door to oidc-provider's inside. All else in this folder uses what its documentation names. On an upgrade, these are the
 * assumptions to look at again; the tests of this folder fail when one no longer holds:
 *
 * - `Client.find` and `Client.prototype.compareClientSecret` may be replaced, and every endpoint asks them;
 * - `new provider.Client(metadata)` makes a client without storing it;
 * - client authentication at the endpoints of `machineRoutes` looks a client up once, and answers 401 `invalid_client` of the same
 *   bytes when there is none and when its secret is wrong;
 * - revocation and introspection authenticate the client before they refuse a JWT with `unsupported_token_type`;
 * - at the authorization and the token endpoint `Client.find` is called when the parameters were read and nothing was checked yet;
 * - `AccessToken.prototype.getValueAndPayload` gives what the client gets and what is stored under `jti` (nothing, of a JWT), and
 *   `AccessToken.find` is the only way back;
 * - `Session.IN_PAYLOAD` names what is kept of a session, and `Session.prototype.loginAccount` is called where a person has signed in;
 * - the reply of `response_mode=form_post` is a page with one form of hidden fields, their values escaped, that a script sends on.
 */
import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import Provider, { type KoaContextWithOIDC } from 'oidc-provider'
import { type Clients, type LoadedClient, makeClientMetadata } from '#oauth/clients/clients'
import type { FormPost } from './interaction-types.ts'

export type LibraryClient = InstanceType<Provider['Client']>

export interface ClientSource {
  find: Clients['find']
  /**
   * Whether the client may authenticate by this secret. `clientId` is what was sent, also for a client that does not exist. Throws an
   * error of the library to say why not.
   */
  authenticate(client: LoadedClient, secret: string, request: IncomingMessage, clientId: string): boolean
  /** Looks at the parameters of a request before the library does, with the client that they name. Throws an error of the library. */
  prepare(ctx: KoaContextWithOIDC, client: LoadedClient | undefined): void
}

/** Routes where a client authenticates itself, by the library's names. */
const machineRoutes: ReadonlySet<string> = new Set(['token', 'revocation', 'introspection'])

/** Stands for a client that does not exist, so that a wrong Client ID costs what a wrong secret does and is answered with the same bytes. */
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

/** What is stored of a client was checked when it was stored: that the library will not have it is a fault of ours, no error of the caller's. */
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
 * Makes the provider ask `source` for its clients and their secrets. Its own way takes secrets in clear and keeps 100 clients, each found
 * again by a hash of its metadata. Returns which client a library client was made of, undefined for one that stands for nobody; and the
 * way back.
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
  // The library insists on a secret in clear; this one fits nobody.
  const placeholder = randomBytes(32).toString('base64url')

  const makeLibraryClient = (loadedClient: LoadedClient): LibraryClient => {
    const existing = libraryClients.get(loadedClient)
    if (existing) return existing
    // The constructor is not in the published types.
    const Constructor = Client as unknown as new (metadata: object) => LibraryClient
    const client = construct(Constructor, { ...makeClientMetadata(loadedClient), client_secret: placeholder })
    libraryClients.set(loadedClient, client)
    loadedClients.set(client, loadedClient)
    return client
  }
  const clientIdByRequest = new WeakMap<IncomingMessage, string>()
  Client.find = async id => {
    const request = Provider.ctx?.req
    if (request) clientIdByRequest.set(request, id)
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
  return {
    findLoadedClient(client) {
      const loadedClient = loadedClients.get(client)
      return loadedClient === placeholderClient ? undefined : loadedClient
    },
    getLibraryClient: makeLibraryClient,
  }
}

/** Has sessions keep what `describe` makes of the request that a person signed in with, under `opened`. */
export const recordSessionDevices = (
  provider: Provider,
  describe: (request: IncomingMessage) => object,
): void => {
  const { Session } = provider
  // Not in the published types.
  const { IN_PAYLOAD: payloadFields } = Session as unknown as { IN_PAYLOAD: string[] }
  Object.defineProperty(Session, 'IN_PAYLOAD', { value: [...payloadFields, 'opened'] })
  const { loginAccount } = Session.prototype
  Session.prototype.loginAccount = function (details) {
    loginAccount.call(this, details)
    if (Provider.ctx) Object.assign(this, { opened: describe(Provider.ctx.req) })
  }
}

/** What the page sends on that sends parameters on by a form. Undefined: `body` is something else. */
export const readFormPost = (body: unknown): FormPost | undefined => {
  if (typeof body !== 'string' || !body.includes('document.forms[0].submit()')) return undefined
  const [, action = ''] = /<form method="post" action="([^"]*)">/.exec(body) ?? []
  const inputs = body.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"\/>/g)
  const fields = [...inputs].map(([, name = '', value = '']) => [name, unescapeHtml(value)] as const)
  if (action === '' || fields.length === 0) throw new Error('the page of form_post is not what it was')
  return { action: unescapeHtml(action), fields }
}

const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
}
/** The library escapes these five, and no other. */
const unescapeHtml = (html: string): string =>
  html.replaceAll(/&[^;]*;/g, entity => entities[entity] ?? entity)

/** An access token that is stored: one for no resource, which opens `/userinfo` alone. */
export interface StoredToken {
  jti: string
  accountId: string
  clientId: string
  grantId: string | undefined
  scope: string
  /** Seconds since 1970. */
  iat: number
  exp: number
}

/**
 * Has access tokens that are stored handed out as what `write` makes of them, and found again by the `jti` that `read` finds in one.
 * What is stored is of no use by itself.
 */
export const writeStoredTokens = (
  provider: Provider,
  { write, read }: { write(token: StoredToken): string; read(token: string): Promise<string | undefined> },
): void => {
  const { AccessToken } = provider
  const find = AccessToken.find.bind(AccessToken)
  const findWritten = async (token: string, options?: { ignoreExpiration?: boolean }) => {
    const jti = await read(token)
    return jti === undefined ? undefined : find(jti, options)
  }
  // The published type says that it makes whatever class it is called on: this one.
  AccessToken.find = findWritten as typeof AccessToken.find
  // Not in the published types.
  const prototype = AccessToken.prototype as unknown as {
    getValueAndPayload(): Promise<{ value: string; payload?: Record<string, unknown> }>
  }
  const originalMethod = prototype.getValueAndPayload
  prototype.getValueAndPayload = async function () {
    const libraryClients = await originalMethod.call(this)
    // What the library stores of an access token of a person.
    return libraryClients.payload
      ? { ...libraryClients, value: write(libraryClients.payload as unknown as StoredToken) }
      : libraryClients
  }
}
