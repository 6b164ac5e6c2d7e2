/** Access tokens of the library: their resource, and their claims. */

import type { Configuration, KoaContextWithOIDC, ResourceServer } from 'oidc-provider'
import { errors } from 'oidc-provider'
import type { ServiceUrls } from '#http/origins'
import type { MetadataDocuments } from '#oauth/clients/metadata-documents'
import type { Clients, LoadedClient } from '#oauth/library/loaded-client'
import type { LibraryClient } from '#oauth/library/oidc-provider-internals'
import { findWidestResource, readAudienceParameter, scopes } from '#oauth/requests/normalize-request'
import {
  type AudienceChoice,
  canonicalAddress,
  chooseAudience,
  toCurrentAddress,
} from '#oauth/requests/resource'
import { findGrantSignIn } from '#oauth/sessions/accounts'
import { completeClaims } from '#oauth/tokens/token-signer'
import { addUserinfoAudience } from '#oauth/tokens/userinfo-token'
import type { Storage } from '#storage/db'

type Features = NonNullable<Configuration['features']>

export interface ResourceDependencies extends ServiceUrls {
  clients: Clients
  metadataDocuments: MetadataDocuments
  accessTokenAlgorithm: 'ES256' | 'EdDSA'
  /** Former base URLs of this service. */
  formerBaseUrls: readonly string[]
}

/** The resources that tokens open (RFC 8707). `requireLoadedClient` returns our client for a client of the library. */
export const makeResourceFeature = (
  dependencies: ResourceDependencies,
  requireLoadedClient: (client: LibraryClient) => LoadedClient,
): Features['resourceIndicators'] => {
  const { clients, metadataDocuments, accessTokenAlgorithm } = dependencies
  return {
    enabled: true,
    // Called without `resource`; the `audience` then replaces it. Client credentials without either would
    // get an opaque token.
    defaultResource(ctx, client, several) {
      if (several) return findWidestResource(several)
      if (ctx.oidc.params?.grant_type === 'client_credentials')
        return resolveAudience(dependencies, ctx, requireLoadedClient(client), undefined)
      const { defaultAudience: storedAudience } = requireLoadedClient(client).application ?? {}
      const defaultAudience = storedAudience && toCurrentAddress(storedAudience, dependencies)
      return defaultAudience && (canonicalAddress(defaultAudience, true, dependencies) ?? defaultAudience)
    },
    // The resource of the code applies; the token request need not repeat it.
    useGrantedResource: () => true,
    async getResourceServerInfo(ctx, resource, client): Promise<ResourceServer> {
      const registeredClient = requireLoadedClient(client)
      const loadedClient = registeredClient.document
        ? await metadataDocuments.requireWorkspace(registeredClient, [resource])
        : registeredClient
      return {
        audience: resolveAudience(dependencies, ctx, loadedClient, resource),
        scope: ctx.oidc.params?.grant_type === 'client_credentials' ? '' : scopes.join(' '),
        accessTokenFormat: 'jwt',
        accessTokenTTL: await clients.lifetimeSeconds(loadedClient),
        jwt: { sign: { alg: accessTokenAlgorithm } },
      }
    },
  }
}

const resolveAudience = (
  urls: ServiceUrls,
  ctx: KoaContextWithOIDC,
  { row, slug: workspace }: LoadedClient,
  resource: string | undefined,
): string => {
  const isOwn = row.kind === 'own'
  const audience = readAudienceParameter(ctx)
  return requireAudience(chooseAudience({ audience, resource, isOwn, workspace }, urls))
}

interface CustomizerDependencies extends ServiceUrls {
  storage: Storage
  findLoadedClient: (client: LibraryClient) => LoadedClient | undefined
}

type TokenCustomizer = NonNullable<NonNullable<NonNullable<Configuration['formats']>['customizers']>['jwt']>

/** Completes the claims of access tokens. */
export const makeTokenCustomizer =
  (dependencies: CustomizerDependencies): TokenCustomizer =>
  async (ctx, token, { payload }) => {
    const grantId = 'grantId' in token ? token.grantId : undefined
    completeClaims(payload, grantId)
    const client = ctx.oidc.client && dependencies.findLoadedClient(ctx.oidc.client)
    const signIn = client?.row.kind === 'own' && (await findGrantSignIn(dependencies.storage.db, grantId))
    if (signIn) payload.workspace_id = signIn.workspaceId
    addAuthentication(payload, ctx)
    addUserinfoAudience(payload, dependencies)
  }

/**
 * Adds how and when the person signed in (RFC 9068, section 2.2.1). It is the same for all tokens of a sign-in,
 * also refreshed ones.
 */
const addAuthentication = (claims: Record<string, unknown>, { oidc }: KoaContextWithOIDC): void => {
  const { AuthorizationCode: code, RefreshToken: refreshToken, DeviceCode: deviceCode } = oidc.entities
  const { acr, amr, authTime } = code ?? refreshToken ?? deviceCode ?? {}
  if (acr !== undefined) claims.acr = acr
  if (amr !== undefined) claims.amr = amr
  if (authTime !== undefined) claims.auth_time = authTime
}

const requireAudience = (choice: AudienceChoice): string => {
  if ('audience' in choice) return choice.audience
  throw new errors.InvalidTarget(choice.description)
}
