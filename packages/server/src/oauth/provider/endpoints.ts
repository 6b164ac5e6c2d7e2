/**
 * The library's endpoints with our additions: revoking and introspecting JWTs, metadata, and the scope in
 * replies.
 */
import type { IncomingMessage } from 'node:http'
import Provider, { errors, type KoaContextWithOIDC } from 'oidc-provider'
import { withoutSlash } from '#authz/audience'
import type { Bearer } from '#authz/bearer'
import type { SignInLog } from '#authz/sign-in-log'
import { listOrigins } from '#http/origins'
import { makeClientMetadata } from '#oauth/clients/clients'
import { makeMetadataDocumentClient } from '#oauth/clients/metadata-documents'
import { describeError } from '#oauth/library/error-descriptions'
import type { LoadedClient } from '#oauth/library/loaded-client'
import type { Log } from '#oauth/library/log'
import {
  installClients,
  makeLogoutToken,
  recordSessionDevices,
  writeStoredTokens,
} from '#oauth/library/oidc-provider-internals'
import { routes } from '#oauth/library/routes'
import { pollIntervalSeconds } from '#oauth/requests/device-polling'
import { normalizeRequest } from '#oauth/requests/normalize-request'
import { evictOldestInteractions } from '#oauth/requests/started-sign-ins'
import { startedSignInsCookie } from '#oauth/sessions/cookies'
import { describeDevice } from '#oauth/sessions/session-device'
import {
  endGrantsAfterLogout,
  logOutAtOnce,
  receiveSignIn,
  takeProviderSignIn,
} from '#oauth/sessions/sign-in'
import { recordInLog } from '#oauth/sessions/token-record'
import { openTokenFastPath, type TokenFastPath } from '#oauth/tokens/client-credentials-fast-path'
import { introspect } from '#oauth/tokens/introspection'
import { revokeJwt } from '#oauth/tokens/revocation'
import { userinfoTokens } from '#oauth/tokens/userinfo-token'
import type { LogoutNotice } from '#storage/logout-notices'
import { increment, type TokenCounters } from '#telemetry/counters'
import type { TokenUsage } from '#usage/usage-log'
import { type ConfigurationDependencies, makeConfiguration } from './configuration.ts'
import { showCompleteUserCode } from './device-flow.ts'
import { leadsToApplication, showFormPost, showWebMessage } from './page-replies.ts'
import { reportErrors, setError } from './replies.ts'

export interface EndpointsDependencies extends Omit<ConfigurationDependencies, 'findLoadedClient'> {
  bearer: Bearer
  log: Log
  tokenShortcut: 'on' | 'off'
  counts: TokenCounters
  usageLog: TokenUsage
  signInLog: Pick<SignInLog, 'record'>
  /** Called when the person of this browser signs out. */
  forgetReplies: (request: IncomingMessage) => Promise<void>
}

export interface Endpoints {
  provider: Provider
  /** Makes the logout token of a session's end for the application. */
  makeLogoutToken(client: LoadedClient, notice: Pick<LogoutNotice, 'userId' | 'sid'>): Promise<string>
  answer: ReturnType<Provider['callback']>
  /** Undefined if it is turned off. */
  fastPath: TokenFastPath | undefined
}

/** Builds endpoints that sign with the current keys. When keys change, new endpoints replace them. */
export const buildEndpoints = (dependencies: EndpointsDependencies): Endpoints => {
  const { storage, authUrl, baseUrl, clients, authentication, log } = dependencies
  // The configuration comes before the provider, whose clients it needs.
  let clientFinder: ReturnType<typeof installClients>['findLoadedClient'] = () => undefined
  const provider = new Provider(
    `${authUrl}/`,
    makeConfiguration({ ...dependencies, findLoadedClient: client => clientFinder(client) }),
  )
  const { findLoadedClient, getLibraryClient } = installClients(provider, {
    metadata: makeClientMetadata,
    find: clients.find,
    authenticate: authentication.authenticateBySecret,
    prepare: (ctx, client) => normalizeRequest(ctx, dependencies, client),
    prepareDocument: dependencies.metadataDocuments.refuseForeignRequest,
    loadDocument: makeMetadataDocumentClient,
  })
  clientFinder = findLoadedClient
  writeStoredTokens(provider, userinfoTokens(dependencies))
  recordSessionDevices(
    provider,
    request => describeDevice(request, dependencies.clientAddress(request)),
    takeProviderSignIn,
  )
  // endpoint-routing.ts sets these headers to the public address, whatever the client sent.
  provider.proxy = true
  reportErrors(provider, baseUrl, log)
  countTokens(provider, dependencies, findLoadedClient)
  recordInLog(provider, dependencies, findLoadedClient)
  provider.on('registration_create.success', (ctx, client) =>
    dependencies.registration.describe(ctx, client.metadata()),
  )
  const secure = new URL(authUrl).protocol === 'https:'
  const cookieNames = {
    interaction: provider.cookieName('interaction'),
    resume: provider.cookieName('resume'),
    startedSignIns: startedSignInsCookie(authUrl),
  }

  provider.use(async (context, next) => {
    // The library's router has matched the path, so `oidc` is set.
    const ctx = context as KoaContextWithOIDC
    try {
      await receiveSignIn(provider, storage, context)
      if (withoutSlash(ctx.path) === routes.registration) await dependencies.registration.admit(ctx)
      await next()
      if (readErrorCode(ctx.body) === 'invalid_client') await clients.equalizeTiming(ctx.req)
      const caller = ctx.oidc.client && clientFinder(ctx.oidc.client)
      await logOutAtOnce(dependencies, ctx, caller?.row)
      await endGrantsAfterLogout(dependencies, ctx)
      rewriteErrorDescription(ctx)
      evictOldestInteractions(ctx, cookieNames, secure)
      showFormPost(ctx)
      showCompleteUserCode(ctx)
      showWebMessage(ctx)
      if (caller) refusePublicClient(ctx)
      if (caller) await answerForJwt(dependencies, ctx, caller)
      if (caller) hideFromForeignPages(ctx, caller)
      if (ctx.status === 200) completeReply(ctx, baseUrl)
      setMaxAge(ctx)
      if (ctx.oidc.route === 'revocation') completeRevocation(ctx)
    } catch (error) {
      setError(ctx, error, baseUrl, log)
    }
  })
  const fastPath =
    dependencies.tokenShortcut === 'on' ? openTokenFastPath({ ...dependencies, getLibraryClient }) : undefined
  return {
    provider,
    answer: provider.callback(),
    fastPath,
    makeLogoutToken: (client, notice) => makeLogoutToken(provider, getLibraryClient(client), notice),
  }
}

/** Counts tokens in the metrics, and in the usage of the client's workspace. */
const countTokens = (
  provider: Provider,
  { counts, usageLog }: Pick<EndpointsDependencies, 'counts' | 'usageLog'>,
  findLoadedClient: ReturnType<typeof installClients>['findLoadedClient'],
): void => {
  const record = (kind: 'token' | 'token-error', { oidc }: KoaContextWithOIDC, detail: string) => {
    // The client of a rejected request may not have proved who it is, but only its workspace counts.
    const client = oidc?.client && findLoadedClient(oidc.client)
    if (client) usageLog.recordToken(kind, client.row.workspaceId, detail)
  }
  provider.on('grant.success', ctx => {
    const grant = String(ctx.oidc.params?.grant_type)
    increment(counts.tokens, grant)
    record('token', ctx, grant)
  })
  provider.on('grant.error', (ctx, error) => {
    const code = error instanceof errors.OIDCProviderError ? error.error : 'server_error'
    increment(counts.tokenRefusals, code)
    record('token-error', ctx, code)
  })
}

/** Introspection requires authentication (RFC 7662, section 2.1); a Client ID alone proves nothing. */
const refusePublicClient = ({ oidc }: KoaContextWithOIDC): void => {
  if (oidc.route !== 'introspection' || oidc.client?.clientAuthMethod !== 'none') return
  throw Object.assign(new errors.InvalidClientAuth('a public client'), {
    error_description: 'only clients that authenticate themselves may introspect tokens: this one is public',
  })
}

/**
 * Rewrites the error description in a redirect to the application. The library gives none for OpenID Connect
 * Core, section 6.
 */
const rewriteErrorDescription = (ctx: KoaContextWithOIDC): void => {
  // The type claims that it is always set.
  const location: string | undefined = ctx.response.get('location')
  const [, error] = /[?&#]error=(\w+)/.exec(location ?? '') ?? []
  if (!leadsToApplication(ctx) || !location || error === undefined) return
  const described = /&error_description=([^&]*)/
  const [, libraryDescription = ''] = described.exec(location) ?? []
  const description = describeError(decodeURIComponent(libraryDescription.replaceAll('+', ' ')), error)
  if (description !== '')
    ctx.response.set(
      'location',
      `${location.replace(described, '')}&error_description=${encodeURIComponent(description)}`,
    )
}

/** Returns the error code of a JSON reply. */
const readErrorCode = (body: unknown): unknown =>
  typeof body === 'object' && body !== null && 'error' in body ? body.error : undefined

/**
 * Handles JWTs for RFC 7009 and RFC 7662. The library authenticates the client, then rejects them as a type
 * that it does not store.
 */
const answerForJwt = async (
  dependencies: EndpointsDependencies,
  ctx: KoaContextWithOIDC,
  caller: LoadedClient,
): Promise<void> => {
  const token = ctx.oidc.params?.token
  if (readErrorCode(ctx.body) !== 'unsupported_token_type' || typeof token !== 'string') return
  if (ctx.oidc.route === 'introspection') ctx.body = await introspect(dependencies, caller, token)
  else {
    await revokeJwt(dependencies, caller, token)
    ctx.body = ''
  }
  ctx.status = 200
}

/** RFC 7009, section 2.2: the status is the reply. Clients that expect JSON everywhere get an empty object. */
const completeRevocation = (ctx: KoaContextWithOIDC): void => {
  ctx.set('cache-control', 'no-store')
  if (ctx.status === 200) ctx.body = {}
}

/** Only pages of the application's own origins may read its replies. */
const hideFromForeignPages = (ctx: KoaContextWithOIDC, { row }: LoadedClient): void => {
  const isRegistered = row.kind !== 'metadata-document'
  if ((row.kind === 'application' || !isRegistered) && !listOrigins(row).has(ctx.get('origin')))
    ctx.remove('access-control-allow-origin')
}

const completeReply = (ctx: KoaContextWithOIDC, baseUrl: string): void => {
  const body: unknown = ctx.body
  if (typeof body !== 'object' || body === null) return
  if (ctx.oidc.route === 'discovery') ctx.body = publishedMetadata({ ...body }, baseUrl)
  // RFC 8628, section 3.2; the library leaves it out.
  if (ctx.oidc.route === 'device_authorization') ctx.body = { ...body, interval: pollIntervalSeconds }
}

/** Less than the ten minutes between publishing a key and using it (keys/key-rotation.ts). */
const maxAgeSeconds = 5 * 60

const publicRoutes: ReadonlySet<string> = new Set(['jwks', 'discovery'])

/** Keys and metadata may be cached for some minutes. */
const setMaxAge = (ctx: KoaContextWithOIDC): void => {
  if (ctx.status === 200 && publicRoutes.has(ctx.oidc.route))
    ctx.set('cache-control', `public, max-age=${maxAgeSeconds}`)
}

/**
 * Metadata documents (RFC 8414, OpenID Connect Discovery 1.0), based on the library's. `protected_resources`: RFC 9728, section 4. `none` is
 * for public clients, which may not introspect.
 */
const publishedMetadata = (
  facts: Readonly<Record<string, unknown>>,
  baseUrl: string,
): Record<string, unknown> => {
  const methods = ['client_secret_basic', 'client_secret_post', 'private_key_jwt']
  const algorithms = facts.token_endpoint_auth_signing_alg_values_supported
  return {
    ...facts,
    token_endpoint_auth_methods_supported: [...methods, 'none'],
    revocation_endpoint_auth_methods_supported: [...methods, 'none'],
    revocation_endpoint_auth_signing_alg_values_supported: algorithms,
    introspection_endpoint_auth_methods_supported: methods,
    introspection_endpoint_auth_signing_alg_values_supported: algorithms,
    protected_resources: [baseUrl],
  }
}
