/** The endpoints of the library with what is ours after them: JWTs to revoke or introspect, the metadata, the scope told. */
import type { IncomingMessage } from 'node:http'
import Provider, { errors, type KoaContextWithOIDC } from 'oidc-provider'
import type { Bearer } from '#http/bearer'
import { raise, type TokenCounts } from '#http/counts'
import { originsOf } from '#http/origins'
import { prepareRequest } from './asked.ts'
import type { KnownClient } from './clients.ts'
import { type ConfigurationDependencies, configuration } from './configuration.ts'
import { underWayCookie } from './cookies.ts'
import { inOurWords } from './error-words.ts'
import { introspect } from './introspection.ts'
import { noteOpenings, useClients, writeStoredTokens } from './library.ts'
import { publishedMetadata } from './metadata.ts'
import { openedBy } from './opened-by.ts'
import { leadsToApplication, showFormPost } from './page-replies.ts'
import { type Log, reportErrors, setError, tellScope } from './replies.ts'
import { revokeJwt } from './revocation.ts'
import { endGrantsAfterLogout, logOutAtOnce, receiveSignIn } from './sign-in.ts'
import { forgetOldest } from './started-sign-ins.ts'
import { openTokenShortcut, type TokenShortcut } from './token-shortcut.ts'
import { userinfoTokens } from './userinfo-token.ts'

export interface EndpointsDependencies extends Omit<ConfigurationDependencies, 'knownOf'> {
  bearer: Bearer
  log: Log
  clientAddress: (request: IncomingMessage) => string
  tokenShortcut: 'on' | 'off'
  counts?: TokenCounts
}

export interface Endpoints {
  provider: Provider
  answer: ReturnType<Provider['callback']>
  /** Undefined: it is turned off. */
  shortcut: TokenShortcut | undefined
}

/** Endpoints that sign with the keys there are now; when those change, others are built and take their place. */
export const buildEndpoints = (dependencies: EndpointsDependencies): Endpoints => {
  const { storage, authUrl, baseUrl, clients, authentication, log } = dependencies
  // The configuration must be there before the provider, whose clients it asks for.
  let clientOf: ReturnType<typeof useClients>['knownOf'] = () => undefined
  const provider = new Provider(
    `${authUrl}/`,
    configuration({ ...dependencies, knownOf: client => clientOf(client) }),
  )
  const { knownOf, libraryClientOf } = useClients(provider, {
    find: clients.find,
    authenticates: authentication.bySecret,
    prepare: (ctx, client) => prepareRequest(ctx, dependencies, client),
  })
  clientOf = knownOf
  writeStoredTokens(provider, userinfoTokens(dependencies))
  noteOpenings(provider, request => openedBy(request, dependencies.clientAddress(request)))
  // The entrance says the public address in these headers, whatever the client sent.
  provider.proxy = true
  reportErrors(provider, baseUrl, log)
  if (dependencies.counts) countTokens(provider, dependencies.counts)
  const secure = new URL(authUrl).protocol === 'https:'
  const cookieNames = {
    interaction: provider.cookieName('interaction'),
    resume: provider.cookieName('resume'),
    underWay: underWayCookie(authUrl),
  }

  provider.use(async (context, next) => {
    // The library's router has taken every path that the entrance lets pass, and `oidc` comes with it.
    const ctx = context as KoaContextWithOIDC
    try {
      await receiveSignIn(provider, storage, context)
      await next()
      if (errorIn(ctx.body) === 'invalid_client') await clients.takeAsLong(ctx.req)
      await logOutAtOnce(storage, ctx)
      await endGrantsAfterLogout(storage, ctx)
      describeInOurWords(ctx)
      forgetOldest(ctx, cookieNames, secure)
      showFormPost(ctx)
      const asker = ctx.oidc.client && clientOf(ctx.oidc.client)
      if (asker) refusePublicAsker(ctx)
      if (asker) await answerForJwt(dependencies, ctx, asker)
      if (asker) hideFromForeignPages(ctx, asker)
      if (ctx.status === 200) completeReply(ctx, baseUrl)
      if (ctx.oidc.route === 'revocation') leaveEmpty(ctx)
    } catch (error) {
      setError(ctx, error, baseUrl, log)
    }
  })
  const shortcut =
    dependencies.tokenShortcut === 'on' ? openTokenShortcut({ ...dependencies, libraryClientOf }) : undefined
  return { provider, answer: provider.callback(), shortcut }
}

const countTokens = (provider: Provider, { tokens, tokenRefusals }: TokenCounts): void => {
  provider.on('grant.success', ({ oidc }) => raise(tokens, String(oidc.params?.grant_type)))
  provider.on('grant.error', (_ctx, error) =>
    raise(tokenRefusals, error instanceof errors.OIDCProviderError ? error.error : 'server_error'),
  )
}

/** Whoever introspects must authenticate (RFC 7662, section 2.1): a Client ID alone is no proof. */
const refusePublicAsker = ({ oidc }: KoaContextWithOIDC): void => {
  if (oidc.route !== 'introspection' || oidc.client?.clientAuthMethod !== 'none') return
  throw Object.assign(new errors.InvalidClientAuth('a public client'), {
    error_description: 'only clients that authenticate themselves may introspect tokens: this one is public',
  })
}

/** What an application is told of an error by the browser; the library gives those of OpenID Connect Core, section 6, no word at all. */
const describeInOurWords = (ctx: KoaContextWithOIDC): void => {
  // Typed as if there always were one.
  const location: string | undefined = ctx.response.get('location')
  const [, error] = /[?&#]error=(\w+)/.exec(location ?? '') ?? []
  if (!leadsToApplication(ctx) || !location || error === undefined) return
  const described = /&error_description=([^&]*)/
  const [, theirs = ''] = described.exec(location) ?? []
  const ours = inOurWords(decodeURIComponent(theirs.replaceAll('+', ' ')), error)
  if (ours !== '')
    ctx.response.set(
      'location',
      `${location.replace(described, '')}&error_description=${encodeURIComponent(ours)}`,
    )
}

/** The error that a reply in JSON tells. */
const errorIn = (body: unknown): unknown =>
  typeof body === 'object' && body !== null && 'error' in body ? body.error : undefined

/** RFC 7009 and RFC 7662 for JWTs: the library, having authenticated the client, refuses them as a kind that it does not keep. */
const answerForJwt = async (
  dependencies: EndpointsDependencies,
  ctx: KoaContextWithOIDC,
  asker: KnownClient,
): Promise<void> => {
  const token = ctx.oidc.params?.token
  if (errorIn(ctx.body) !== 'unsupported_token_type' || typeof token !== 'string') return
  if (ctx.oidc.route === 'introspection') ctx.body = await introspect(dependencies, asker, token)
  else {
    await revokeJwt(dependencies, asker, token)
    ctx.body = ''
  }
  ctx.status = 200
}

/** RFC 7009, section 2.2: the status says all. Of an empty body that names a type, clients believe that it has one to read. */
const leaveEmpty = (ctx: KoaContextWithOIDC): void => {
  ctx.set('cache-control', 'no-store')
  if (ctx.body === '') ctx.remove('content-type')
}

/** What an application is answered can be read by pages of its own origins, not by those of others. */
const hideFromForeignPages = (ctx: KoaContextWithOIDC, { row }: KnownClient): void => {
  if (row.kind === 'application' && !originsOf(row).has(ctx.get('origin')))
    ctx.remove('access-control-allow-origin')
}

const completeReply = (ctx: KoaContextWithOIDC, baseUrl: string): void => {
  const body: unknown = ctx.body
  if (typeof body !== 'object' || body === null) return
  if (ctx.oidc.route === 'discovery') ctx.body = publishedMetadata({ ...body }, baseUrl)
  if (ctx.oidc.route === 'token') ctx.body = tellScope(ctx.oidc.params?.scope, body)
}
