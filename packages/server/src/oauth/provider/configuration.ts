/** The settings of oidc-provider: which features there are, what a token says, how long it lives. */
import { assertionAlgorithms } from '@querent/contract/manage'
import { type Configuration, errors, type KoaContextWithOIDC, type ResourceServer } from 'oidc-provider'
import type { Keyring } from '#keys/keyring'
import type { Authentication } from '#oauth/clients/authentication'
import type { Clients, LoadedClient } from '#oauth/clients/clients'
import { openCookies } from '#oauth/interactions/cookies'
import {
  claims,
  findWidestResource,
  keepOfflineAccess,
  readAudienceParameter,
  refuseDpop,
  scopes,
} from '#oauth/requests/normalize-request'
import { refuseLongParameters } from '#oauth/requests/parameter-sizes'
import { makeAccountFinder } from '#oauth/sessions/accounts'
import { makeGrantFinder } from '#oauth/sessions/consents'
import { makeCookieSettings } from '#oauth/sessions/cookies'
import { acrValues, promptPolicy } from '#oauth/sessions/policy'
import type { StartedSignIns } from '#oauth/sessions/started-sign-ins'
import {
  codeSeconds,
  defaultLifetimeSeconds,
  grantSeconds,
  idTokenSeconds,
  interactionSeconds,
  refreshIdleSeconds,
  refreshLongestSeconds,
  remainingSeconds,
  sessionIdleSeconds,
  sessionLongestSeconds,
} from '#oauth/tokens/lifetime'
import { type AudienceChoice, chooseAudience, type ServiceUrls } from '#oauth/tokens/resource'
import { otherClientError } from '#oauth/tokens/revocation'
import type { Storage } from '#storage/db'
import type { Directory } from '#storage/directory'
import { setAttributes } from '#telemetry/request-attributes'
import { recordAdapter } from './adapter.ts'
import type { LibraryClient } from './oidc-provider-internals.ts'
import { pages } from './page-replies.ts'

export interface ConfigurationDependencies extends ServiceUrls {
  storage: Storage
  directory: Directory
  keyring: Keyring
  clients: Clients
  accessTokenAlgorithm: 'ES256' | 'EdDSA'
  authentication: Authentication
  /** They sign the cookies; the first signs, all verify. */
  cookieKeys: readonly string[]
  startedSignIns: StartedSignIns
  /** Which client a client of the library was made of. */
  findLoadedClient: (client: LibraryClient) => LoadedClient | undefined
}

/** Addresses by the library's names; those of features that are off are never used. */
export const routes = {
  authorization: '/authorize',
  token: '/oauth/token',
  revocation: '/oauth/revoke',
  introspection: '/oauth/introspect',
  pushed_authorization_request: '/oauth/par',
  device_authorization: '/oauth/device/code',
  code_verification: '/activate',
  registration: '/oauth/register',
  userinfo: '/userinfo',
  jwks: '/.well-known/jwks.json',
  end_session: '/logout',
}

/** An assertion that stays good for longer would have to be remembered for longer (RFC 7523, section 3, item 4). */
const assertionSecondsMax = 60 * 60
/** Clocks may differ by so much (authorization-server.md, Habits of real clients). */
const clockSkewSeconds = 60

export const makeConfiguration = (dependencies: ConfigurationDependencies): Configuration => {
  const { storage, directory, keyring, clients, accessTokenAlgorithm, authentication, findLoadedClient } =
    dependencies

  const requireLoadedClient = (client: LibraryClient): LoadedClient => {
    const loadedClient = findLoadedClient(client)
    if (!loadedClient) throw new Error('a client of the library stands for none of ours')
    return loadedClient
  }
  const resolveAudience = (
    ctx: KoaContextWithOIDC,
    client: LibraryClient,
    resource: string | undefined,
  ): string => {
    const { row, slug: workspace } = requireLoadedClient(client)
    const isOwn = row.kind === 'own'
    const audience = readAudienceParameter(ctx)
    return requireAudience(chooseAudience({ audience, resource, isOwn, workspace }, dependencies))
  }

  const findAccount = makeAccountFinder(directory, findLoadedClient)
  const pageCookies = openCookies(dependencies.authUrl)

  return {
    adapter: recordAdapter(storage, keyring, dependencies.startedSignIns),
    jwks: { keys: keyring.privateJwks() },
    routes,
    cookies: makeCookieSettings(dependencies.authUrl, dependencies.cookieKeys),
    clockTolerance: clockSkewSeconds,
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'],
    responseTypes: ['code'],
    // Every request here is one of OpenID Connect, whose Core requires redirect_uri (section 3.1.2.1), and so does the exchange of its code.
    allowOmittingSingleRegisteredRedirectUri: false,
    enabledJWA: {
      // What an application can choose (clients.ts).
      idTokenSigningAlgValues: ['RS256', 'ES256'],
      clientAuthSigningAlgValues: [...assertionAlgorithms],
    },
    scopes: [...scopes],
    claims,
    // Browser SDKs read `name` and `email` there (authorization-server.md, Habits of real clients).
    conformIdTokenClaims: false,
    acrValues,
    extraParams: { audience: completeRequest, dpop_jkt: refuseDpop },
    pkce: { required: (ctx, client) => requirePkce(ctx, requireLoadedClient(client)) },
    discovery: { ui_locales_supported: ['en', 'nl'] },
    features: {
      clientCredentials: { enabled: true },
      claimsParameter: { enabled: true },
      introspection: {
        enabled: true,
        // Refresh tokens alone come here: of whom they are is nobody else's business.
        allowedPolicy: async (ctx, client, token) =>
          token.clientId === client.clientId &&
          'accountId' in token &&
          token.accountId !== undefined &&
          (await findAccount(ctx, token.accountId, token)) !== undefined,
      },
      revocation: {
        enabled: true,
        allowedPolicy(_ctx, client, token) {
          if (token.clientId !== client.clientId) throw otherClientError()
          return true
        },
      },
      resourceIndicators: {
        enabled: true,
        // Called when there is no `resource`: then the `audience` is it. Client credentials without either would get an opaque token.
        defaultResource(ctx, client, several) {
          if (several) return findWidestResource(several)
          return ctx.oidc.params?.grant_type === 'client_credentials'
            ? resolveAudience(ctx, client, undefined)
            : undefined
        },
        // That of the code holds; it need not be repeated in the token request.
        useGrantedResource: () => true,
        async getResourceServerInfo(ctx, resource, client): Promise<ResourceServer> {
          return {
            audience: resolveAudience(ctx, client, resource),
            scope: ctx.oidc.params?.grant_type === 'client_credentials' ? '' : scopes.join(' '),
            accessTokenFormat: 'jwt',
            accessTokenTTL: await clients.lifetimeSeconds(requireLoadedClient(client)),
            jwt: { sign: { alg: accessTokenAlgorithm } },
          }
        },
      },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: ctx => pages.logout(ctx),
        postLogoutSuccessSource: ctx => pages.loggedOut(ctx),
      },
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
    },
    formats: {
      customizers: {
        jwt: (_ctx, token, { payload }) =>
          completeClaims(payload, 'grantId' in token ? token.grantId : undefined),
      },
    },
    ttl: lifetimes,
    // The library would refuse all but the newest grant of a session; they end with the session as it ends (storage/sessions.ts).
    expiresWithSession: () => false,
    rotateRefreshToken: true,
    async findAccount(ctx, id, token) {
      // The library asks for the lifetime where it cannot wait.
      if (token && ctx.oidc.client)
        secondsWithoutResource.set(ctx, await clients.lifetimeSeconds(requireLoadedClient(ctx.oidc.client)))
      return findAccount(ctx, id, token)
    },
    loadExistingGrant: makeGrantFinder(storage.db, findLoadedClient),
    interactions: {
      policy: promptPolicy({ directory, findLoadedClient }),
      url: (_ctx, { uid }) => `/interaction/${uid}`,
    },
    assertJwtClientAuthClaimsAndHeader(ctx, claims, _header, client) {
      if (Number(claims.exp) > Date.now() / 1000 + assertionSecondsMax + clockSkewSeconds)
        throw new errors.InvalidClientAuth('the assertion is good for more than an hour')
      authentication.refuseForeignAddress(requireLoadedClient(client), ctx.req)
    },
    // Origins are settled in front of the library (entrance.ts).
    clientBasedCORS: () => true,
    renderError(ctx, out, error) {
      setAttributes(ctx.res, { code: out.error })
      return error instanceof errors.SessionNotFound ? pages.expired(ctx, pageCookies) : pages.error(ctx, out)
    },
  }
}

/** The library calls this for every authorization request, where errors go to the application, before anything is stored. */
const completeRequest = (ctx: KoaContextWithOIDC): void => {
  if (ctx.oidc.route === 'authorization') refuseLongParameters(Object.entries(ctx.oidc.params ?? {}))
  keepOfflineAccess(ctx)
}

/** Adds to the claims of an access token what the library leaves out. */
export const completeClaims = (
  claims: { scope?: unknown; grant_id?: unknown },
  grantId: string | undefined,
): void => {
  // authorization-server.md lists `scope` among the claims, so it is there when it is empty too.
  claims.scope ??= ''
  // A code or refresh token replayed ends the tokens of its grant, at the query service too.
  if (grantId !== undefined) claims.grant_id = grantId
}

/** Lifetime of the access tokens of the workspace, for those that open `/userinfo` alone. */
const secondsWithoutResource = new WeakMap<KoaContextWithOIDC, number>()

const lifetimes: Configuration['ttl'] = {
  AccessToken: (ctx, token) =>
    token.resourceServer?.accessTokenTTL ?? secondsWithoutResource.get(ctx) ?? defaultLifetimeSeconds,
  ClientCredentials: (_ctx, token) => token.resourceServer?.accessTokenTTL ?? defaultLifetimeSeconds,
  AuthorizationCode: codeSeconds,
  IdToken: idTokenSeconds,
  Interaction: interactionSeconds,
  Grant: (_ctx, grant) => grantSeconds(grant.getOIDCScope()),
  Session: (_ctx, { loginTs }) =>
    remainingSeconds(sessionIdleSeconds, sessionLongestSeconds, loginTs ?? nowSeconds(), nowSeconds()),
  RefreshToken: (_ctx, token) =>
    remainingSeconds(refreshIdleSeconds, refreshLongestSeconds, token.iiat ?? nowSeconds(), nowSeconds()),
}

const nowSeconds = (): number => Math.floor(Date.now() / 1000)

/**
 * RFC 9700, section 2.1.1: all use PKCE. A confidential application that was registered without sends a `nonce` instead, which its ID
 * token brings back. Throws `invalid_request` without either.
 */
const requirePkce = (ctx: KoaContextWithOIDC, { row }: LoadedClient): boolean => {
  const settings = row.kind === 'application' && row.settings.type === 'server' ? row.settings : undefined
  if (settings?.pkce !== false) return true
  if (settings.nonce !== false && !ctx.oidc.params?.nonce)
    throw new errors.InvalidRequest('this application sends no code_challenge, so nonce is required')
  return false
}

const requireAudience = (choice: AudienceChoice): string => {
  if ('audience' in choice) return choice.audience
  if (choice.error === 'invalid_request') throw new errors.InvalidRequest(choice.description)
  throw new errors.InvalidTarget(choice.description)
}
