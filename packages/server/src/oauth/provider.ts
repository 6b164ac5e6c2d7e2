/**
 * The authorization server (authorization-server.md): oidc-provider behind an entrance, with clients, keys and tokens of ours.
 *
 * A request goes through {@link openAuthorizationServer}'s `handle`, which settles address, method and origin (entrance.ts), then to the
 * library, which authenticates the client (library.ts, secrets.ts), chooses the audience (resource.ts) and signs. JWTs that are to be
 * revoked or introspected come back from it, with the client authenticated.
 */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import Provider, { errors, type KoaContextWithOIDC } from 'oidc-provider'
import { errorReply, Problem } from '#errors'
import type { Bearer } from '#http/bearer'
import type { Keyring } from '#http/keyring'
import type { Storage } from '#storage/db'
import type { Directory } from '#storage/directory'
import { type KnownClient, openClients } from './clients.ts'
import { configuration } from './configuration.ts'
import { addressAt, answerOptions, refusalOf, setCors, splitTarget } from './entrance.ts'
import { explain } from './error-words.ts'
import { introspect } from './introspection.ts'
import { useClients } from './library.ts'
import { publishedMetadata } from './metadata.ts'
import { openOrigins, originsOf } from './origins.ts'
import { type Log, reportErrors, sendJson, sendRefusal, setReply } from './replies.ts'
import { revokeJwt } from './revocation.ts'
import { matchingSecret, openSecretUses } from './secrets.ts'
import { startUpkeep } from './upkeep.ts'

interface Dependencies {
  storage: Storage
  directory: Directory
  keyring: Keyring
  bearer: Bearer
  /** Origins, without a slash at the end. */
  authUrl: string
  baseUrl: string
  accessTokenAlgorithm: 'ES256' | 'EdDSA'
  log: Log
  /** The client's IP address; with trusted proxies, what they say. Absent: that of the connection. */
  clientAddress?: (request: IncomingMessage) => string
}

export interface AuthorizationServer {
  /** Answers a request whose body nobody has read. */
  handle(request: IncomingMessage, response: ServerResponse): void
  /** Whether the path is one of the authorization server's; `/manage` and `/console` are not. */
  owns(pathname: string): boolean
  /** Writes what is not written yet. */
  close(): Promise<void>
}

export const openAuthorizationServer = async (dependencies: Dependencies): Promise<AuthorizationServer> => {
  const { storage, directory, keyring, authUrl, baseUrl, log } = dependencies
  const clientAddress =
    dependencies.clientAddress ?? ((request: IncomingMessage) => request.socket.remoteAddress ?? '')
  const clients = openClients(storage, directory)
  const uses = openSecretUses(storage)
  const origins = await openOrigins(storage)

  const refuseForeignAddress = (client: KnownClient, request: IncomingMessage): void => {
    const address = clientAddress(request)
    if (client.mayComeFrom(address)) return
    // The secret was right, so this is the account's owner, or a thief who learns that it is of no use.
    throw Object.assign(new errors.InvalidClientAuth('foreign address'), {
      error_description: `this System-to-System account may not be used from the address ${address}: an administrator sets its address ranges in Settings > Team Members`,
    })
  }
  const authenticates = (client: KnownClient, secret: string, request: IncomingMessage): boolean => {
    const used = matchingSecret(client.secrets, secret)
    if (used === undefined) return false
    refuseForeignAddress(client, request)
    uses.note(used)
    return true
  }

  const build = () => {
    let knownOf: (client: object) => KnownClient | undefined = () => undefined
    const provider = new Provider(
      `${authUrl}/`,
      configuration({
        ...dependencies,
        clients,
        knownOf: client => knownOf(client),
        refuseForeignAddress: (client, ctx) => refuseForeignAddress(client, ctx.req),
      }),
    )
    const clientOf = useClients(provider, { find: clients.find, authenticates })
    // The library hands its own clients alone to the functions of its configuration.
    knownOf = client => clientOf(client as Parameters<typeof clientOf>[0])
    const asker = (ctx: KoaContextWithOIDC) => ctx.oidc.client && clientOf(ctx.oidc.client)
    // `handle` tells it the public address in these headers, whatever the client sent.
    provider.proxy = true
    reportErrors(provider, baseUrl, log)
    provider.use(async (context, next) => {
      // On a path of the library `oidc` is there, once it has begun; on others the entrance has answered.
      const ctx = context as KoaContextWithOIDC
      await next()
      await answerForJwt(dependencies, ctx, asker(ctx))
      const client = asker(ctx)
      if (client?.row.kind === 'application' && !originsOf(client.row).has(ctx.get('origin')))
        ctx.remove('access-control-allow-origin')
      if (ctx.oidc.route === 'discovery' && ctx.status === 200)
        ctx.body = publishedMetadata(ctx.body as Record<string, unknown>, baseUrl)
      if (ctx.oidc.route === 'token' && ctx.status === 200) tellScope(ctx)
    })
    return provider.callback()
  }
  let callback = build()
  const stopRotation = keyring.onRotation(() => {
    callback = build()
  })

  const stopUpkeep = startUpkeep(storage, uses, log)
  const { host, protocol } = new URL(authUrl)

  const answer = async (request: IncomingMessage, response: ServerResponse, requestId: string) => {
    response.setHeader('x-request-id', requestId)
    response.setHeader('x-content-type-options', 'nosniff')
    const { pathname, search } = splitTarget(request.url ?? '/')
    const address = addressAt(pathname)
    if (!address) {
      const problem = new Problem(
        'no-such-path',
        `there is nothing at ${pathname} on the authorization server`,
      )
      return sendJson(response, 404, errorReply(problem, requestId))
    }
    await setCors(request, response, address, origins)
    if (request.method === 'OPTIONS') return answerOptions(request, response, address)
    const refusal = refusalOf(request, pathname, search)
    if (refusal) return sendRefusal(response, refusal)
    // Addresses in replies are the public ones, whatever Host, proxy headers or request target say.
    request.url = pathname + search
    request.headers.host = host
    request.headers['x-forwarded-proto'] = protocol.slice(0, -1)
    delete request.headers['x-forwarded-host']
    await callback(request, response)
  }

  return {
    handle(request, response) {
      const requestId = randomUUID()
      answer(request, response, requestId).catch((error: unknown) => {
        log.error({ err: error, requestId }, 'a request to the authorization server failed')
        const { status, headers, body } = explain(error, requestId, baseUrl)
        if (response.headersSent) response.destroy()
        else sendJson(response, status, body, headers)
      })
    },
    owns: pathname => addressAt(pathname) !== undefined,
    async close() {
      stopUpkeep()
      stopRotation()
      origins.close()
      await uses
        .flush()
        .catch((error: unknown) => log.warn({ err: error }, 'the last uses of secrets were not written'))
    },
  }
}

/** RFC 7009 and RFC 7662 for JWTs: the library, having authenticated the client, refuses them as a kind that it does not keep. */
const answerForJwt = async (
  dependencies: Dependencies,
  ctx: KoaContextWithOIDC,
  asker: KnownClient | undefined,
): Promise<void> => {
  const body: unknown = ctx.body
  const refused = typeof body === 'object' && body !== null && 'error' in body ? body.error : undefined
  const token = ctx.oidc.params?.token
  if (refused !== 'unsupported_token_type' || !asker || typeof token !== 'string') return
  try {
    if (ctx.oidc.route === 'introspection') ctx.body = await introspect(dependencies, asker, token)
    else {
      await revokeJwt(dependencies, asker, token)
      ctx.body = ''
    }
    ctx.status = 200
  } catch (error) {
    if (!(error instanceof errors.OIDCProviderError || error instanceof Problem)) throw error
    setReply(ctx, explain(error, ctx.response.get('x-request-id'), dependencies.baseUrl))
  }
}

/** RFC 6749, section 3.3: a scope other than the one asked for must be told; no scopes are given here. */
const tellScope = (ctx: KoaContextWithOIDC): void => {
  if (ctx.oidc.params?.scope !== undefined && typeof ctx.body === 'object')
    ctx.body = { scope: '', ...ctx.body }
}
