/** Configuration of oidc-provider: features, claims and lifetimes. */

import type { IncomingMessage } from 'node:http'
import { authenticationLevels } from '@querent/contract/authentication-levels'
import { assertionAlgorithms } from '@querent/contract/manage'
import { type Adapter, type Configuration, errors, type KoaContextWithOIDC } from 'oidc-provider'
import { proofAlgorithms } from '#authz/dpop-proof'
import type { ServiceUrls } from '#http/origins'
import type { Keyring } from '#keys/keyring'
import { languages } from '#languages/languages'
import type { Authentication } from '#oauth/clients/authentication'
import { type MetadataDocuments, readGrantedResources } from '#oauth/clients/metadata-documents'
import type { Registration } from '#oauth/clients/registration'
import type { SignInRenewal } from '#oauth/identity-provider/sign-in-renewal'
import { openCookies } from '#oauth/library/cookies'
import type { Clients, LoadedClient } from '#oauth/library/loaded-client'
import type { LibraryClient } from '#oauth/library/oidc-provider-internals'
import { routes } from '#oauth/library/routes'
import { claims, completeScope, readResources, scopes } from '#oauth/requests/normalize-request'
import { refuseLongParameters } from '#oauth/requests/parameter-sizes'
import type { StartedSignIns } from '#oauth/requests/started-sign-ins'
import type { UserCodeAttempts } from '#oauth/requests/user-code-attempts'
import { makeAccountFinder } from '#oauth/sessions/accounts'
import { makeGrantFinder } from '#oauth/sessions/consents'
import { makeCookieSettings } from '#oauth/sessions/cookies'
import { promptPolicy } from '#oauth/sessions/policy'
import { rememberLifetime, ttl } from '#oauth/tokens/ttl'
import type { Storage } from '#storage/db'
import type { Directory } from '#storage/directory'
import { setAttributes } from '#telemetry/request-attributes'
import { makeTokenCustomizer } from './access-tokens.ts'
import { recordAdapter } from './adapter.ts'
import { makeFeatures } from './features.ts'
import { pages } from './page-replies.ts'

export interface ConfigurationDependencies extends ServiceUrls {
  storage: Storage
  directory: Directory
  keyring: Keyring
  clients: Clients
  accessTokenAlgorithm: 'ES256' | 'EdDSA'
  authentication: Authentication
  /** Keys of the cookies. The first signs, all verify. */
  cookieKeys: readonly string[]
  startedSignIns: StartedSignIns
  userCodeAttempts: UserCodeAttempts
  metadataDocuments: MetadataDocuments
  registration: Registration
  signInRenewal: Pick<SignInRenewal, 'renew' | 'confirm'>
  /** Former base URLs of this service. */
  formerBaseUrls: readonly string[]
  clientAddress: (request: IncomingMessage) => string
  /** Returns our client for a client of the library. */
  findLoadedClient: (client: LibraryClient) => LoadedClient | undefined
}

/** Clients are stored when they register. oidc-provider-internals.ts finds them. */
const makeAdapter = (dependencies: ConfigurationDependencies) => {
  const { storage, keyring, registration } = dependencies
  const openRecords = recordAdapter(storage, keyring, dependencies)
  return (model: string): Adapter =>
    model === 'Client' ? { ...openRecords(model), upsert: registration.store } : openRecords(model)
}

/** Longer-lived assertions would have to be remembered for longer (RFC 7523, section 3, item 4). */
const assertionSecondsMax = 60 * 60
/** Allowed difference of clocks. */
const clockSkewSeconds = 60

export const makeConfiguration = (dependencies: ConfigurationDependencies): Configuration => {
  const { storage, directory, keyring, clients, authentication, metadataDocuments, findLoadedClient } =
    dependencies

  const requireLoadedClient = (client: LibraryClient): LoadedClient => {
    const loadedClient = findLoadedClient(client)
    if (!loadedClient) throw new Error('a client of the library has no client of ours')
    return loadedClient
  }
  const isFapi = (client: LibraryClient): boolean =>
    findLoadedClient(client)?.application?.profile === 'fapi2'

  const { signInRenewal, clientAddress } = dependencies
  const accounts = { db: storage.db, directory, signInRenewal, clientAddress }
  const findAccount = makeAccountFinder(accounts, async (ctx, { grantId }) => {
    const client = ctx.oidc.client && findLoadedClient(ctx.oidc.client)
    if (!client?.document) return client
    return metadataDocuments.bindToWorkspace(client, await readGrantedResources(ctx, grantId))
  })
  /**
   * The library calls this for every authorization request, when errors go to the application and nothing is
   * stored yet.
   */
  const completeRequest = async (ctx: KoaContextWithOIDC): Promise<void> => {
    refuseLongParameters(Object.entries(ctx.oidc.params ?? {}))
    const client = ctx.oidc.client && findLoadedClient(ctx.oidc.client)
    completeScope(ctx, client)
    if (client?.document)
      await metadataDocuments.requireWorkspace(client, readResources(ctx.oidc.params ?? {}))
  }
  const pageCookies = openCookies(dependencies.authUrl)

  return {
    ...metadataDocuments.configuration,
    adapter: makeAdapter(dependencies),
    jwks: { keys: keyring.privateJwks() },
    routes,
    cookies: makeCookieSettings(dependencies.authUrl, dependencies.cookieKeys),
    clockTolerance: clockSkewSeconds,
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'],
    responseTypes: ['code'],
    // Every request is an OpenID Connect request, which requires redirect_uri (Core, section 3.1.2.1), also
    // in the exchange of the code.
    allowOmittingSingleRegisteredRedirectUri: false,
    enabledJWA: {
      // Algorithms that an application can choose (clients.ts).
      idTokenSigningAlgValues: ['RS256', 'ES256'],
      clientAuthSigningAlgValues: [...assertionAlgorithms],
      dPoPSigningAlgValues: [...proofAlgorithms],
    },
    scopes: [...scopes],
    claims,
    // Browser SDKs read `name` and `email` from the ID token.
    conformIdTokenClaims: false,
    acrValues: [...authenticationLevels],
    extraParams: { audience: completeRequest },
    pkce: { required: (ctx, client) => requirePkce(ctx, requireLoadedClient(client)) },
    discovery: { ui_locales_supported: [...languages] },
    features: makeFeatures(dependencies, { requireLoadedClient, isFapi, findAccount, pageCookies }),
    formats: { customizers: { jwt: makeTokenCustomizer(dependencies) } },
    ttl,
    // The library would reject all but the newest grant of a session. They end with the session anyway
    // (storage/sessions.ts).
    expiresWithSession: () => false,
    // FAPI 2.0 binds refresh tokens to the client's keys instead (Security Profile, section 5.3.2.1).
    rotateRefreshToken: ({ oidc }) => !(oidc.client && isFapi(oidc.client)),
    async findAccount(ctx, id, token) {
      // The library needs the lifetime synchronously.
      if (token && ctx.oidc.client)
        rememberLifetime(ctx, await clients.lifetimeSeconds(requireLoadedClient(ctx.oidc.client)))
      return findAccount(ctx, id, token)
    },
    loadExistingGrant: makeGrantFinder(storage.db, findLoadedClient),
    interactions: {
      policy: promptPolicy({ ...accounts, metadataDocuments, findLoadedClient }),
      url: (_ctx, { uid }) => `/interaction/${uid}`,
    },
    assertJwtClientAuthClaimsAndHeader(ctx, claims, header, client) {
      if (isFapi(client)) refuseWeakAssertion(ctx, claims, header)
      if (Number(claims.exp) > Date.now() / 1000 + assertionSecondsMax + clockSkewSeconds)
        throw new errors.InvalidClientAuth('the assertion is valid for more than an hour')
      authentication.refuseForeignAddress(requireLoadedClient(client), ctx.req)
    },
    // endpoint-routing.ts has already checked the origin.
    clientBasedCORS: () => true,
    renderError(ctx, errorOut, error) {
      setAttributes(ctx.res, { code: errorOut.error })
      return error instanceof errors.SessionNotFound
        ? pages.expired(ctx, pageCookies)
        : pages.error(ctx, errorOut)
    },
  }
}

/**
 * Requires PKCE (RFC 9700, section 2.1.1). A confidential application registered without PKCE sends a `nonce`
 * instead, which its ID token returns. Throws `invalid_request` without either.
 */
const requirePkce = (ctx: KoaContextWithOIDC, { row }: LoadedClient): boolean => {
  const settings = row.kind === 'application' && row.settings.type === 'server' ? row.settings : undefined
  if (settings && settings.pkce !== false && ctx.oidc.params?.nonce)
    throw new errors.InvalidRequest(
      'code_challenge is missing: send it with code_challenge_method=S256 (RFC 7636), or set "pkce": false for the application (at its registration, or later by querent apps update --without-pkce), for which the nonce is enough',
    )
  if (settings?.pkce !== false) return true
  if (settings.nonce !== false && !ctx.oidc.params?.nonce)
    throw new errors.InvalidRequest(
      'nonce is missing: this application is registered with "pkce": false, so it sends a nonce or a code_challenge',
    )
  return false
}

/** Throws `invalid_client` unless the assertion is as FAPI 2.0 requires (Security Profile, sections 5.3.2.1 and 5.4.1). */
const refuseWeakAssertion = (
  { oidc }: KoaContextWithOIDC,
  { aud }: Record<string, unknown>,
  { alg }: Record<string, unknown>,
): void => {
  if (aud !== oidc.issuer)
    throw new errors.InvalidClientAuth(`the audience (aud) of the assertion must be ${oidc.issuer}`)
  if (alg === 'RS256')
    throw new errors.InvalidClientAuth(
      'FAPI 2.0 allows no RS256: sign the assertion with PS256, ES256 or EdDSA',
    )
}
