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
import type { FormPost } from './boundary.ts'
import { type Clients, type KnownClient, metadataOf } from './clients.ts'

export type LibraryClient = InstanceType<Provider['Client']>

export interface ClientSource {
  find: Clients['find']
  /**
   * Whether the client may authenticate by this secret. `clientId` is what was sent, also for a client that does not exist. Throws an
   * error of the library to say why not.
   */
  authenticates(client: KnownClient, secret: string, request: IncomingMessage, clientId: string): boolean
  /** Looks at the parameters of a request before the library does, with the client that they name. Throws an error of the library. */
  prepare(ctx: KoaContextWithOIDC, client: KnownClient | undefined): void
}

/** Routes where a client authenticates itself, by the library's names. */
const machineRoutes: ReadonlySet<string> = new Set(['token', 'revocation', 'introspection'])

/** Stands for a client that does not exist, so that a wrong Client ID costs what a wrong secret does and is answered with the same bytes. */
const nobody: KnownClient = {
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
export const useClients = (
  provider: Provider,
  source: ClientSource,
): {
  knownOf: (client: LibraryClient) => KnownClient | undefined
  libraryClientOf: (known: KnownClient) => LibraryClient
} => {
  const { Client } = provider
  const made = new WeakMap<KnownClient, LibraryClient>()
  const knownOf = new WeakMap<LibraryClient, KnownClient>()
  // The library insists on a secret in clear; this one fits nobody.
  const placeholder = randomBytes(32).toString('base64url')

  const make = (known: KnownClient): LibraryClient => {
    const kept = made.get(known)
    if (kept) return kept
    // The constructor is not in the published types.
    const Constructor = Client as unknown as new (metadata: object) => LibraryClient
    const client = construct(Constructor, { ...metadataOf(known), client_secret: placeholder })
    made.set(known, client)
    knownOf.set(client, known)
    return client
  }
  const sent = new WeakMap<IncomingMessage, string>()
  Client.find = async id => {
    const request = Provider.ctx?.req
    if (request) sent.set(request, id)
    const known = await source.find(id, request)
    if (Provider.ctx) source.prepare(Provider.ctx, known)
    if (known) return make(known)
    return machineRoutes.has(Provider.ctx?.oidc.route ?? '') ? make(nobody) : undefined
  }
  Client.prototype.compareClientSecret = function (this: LibraryClient, secret: string) {
    const known = knownOf.get(this)
    const request = Provider.ctx?.req
    if (known === undefined || request === undefined) return false
    return source.authenticates(known, secret, request, sent.get(request) ?? '')
  }
  return {
    knownOf(client) {
      const known = knownOf.get(client)
      return known === nobody ? undefined : known
    },
    libraryClientOf: make,
  }
}

/** Has sessions keep what `describe` makes of the request that a person signed in with, under `opened`. */
export const noteOpenings = (provider: Provider, describe: (request: IncomingMessage) => object): void => {
  const { Session } = provider
  // Not in the published types.
  const { IN_PAYLOAD: kept } = Session as unknown as { IN_PAYLOAD: string[] }
  Object.defineProperty(Session, 'IN_PAYLOAD', { value: [...kept, 'opened'] })
  const { loginAccount } = Session.prototype
  Session.prototype.loginAccount = function (details) {
    loginAccount.call(this, details)
    if (Provider.ctx) Object.assign(this, { opened: describe(Provider.ctx.req) })
  }
}

/** What the page sends on that sends parameters on by a form. Undefined: `body` is something else. */
export const formPostIn = (body: unknown): FormPost | undefined => {
  if (typeof body !== 'string' || !body.includes('document.forms[0].submit()')) return undefined
  const [, action = ''] = /<form method="post" action="([^"]*)">/.exec(body) ?? []
  const inputs = body.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"\/>/g)
  const fields = [...inputs].map(([, name = '', value = '']) => [name, unescaped(value)] as const)
  if (action === '' || fields.length === 0) throw new Error('the page of form_post is not what it was')
  return { action: unescaped(action), fields }
}

const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
}
/** The library escapes these five, and no other. */
const unescaped = (html: string): string => html.replaceAll(/&[^;]*;/g, entity => entities[entity] ?? entity)

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
  const plain = prototype.getValueAndPayload
  prototype.getValueAndPayload = async function () {
    const made = await plain.call(this)
    // What the library stores of an access token of a person.
    return made.payload ? { ...made, value: write(made.payload as unknown as StoredToken) } : made
  }
}
