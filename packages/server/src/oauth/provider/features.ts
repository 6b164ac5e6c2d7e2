/** Features of oidc-provider: which are on, and their rules. */

import type { Configuration, FindAccount } from 'oidc-provider'
import type { Registration } from '#oauth/clients/registration'
import type { openCookies } from '#oauth/library/cookies'
import type { LoadedClient } from '#oauth/library/loaded-client'
import type { LibraryClient } from '#oauth/library/oidc-provider-internals'
import { otherClientError } from '#oauth/tokens/revocation'
import { makeResourceFeature, type ResourceDependencies } from './access-tokens.ts'
import { makeDeviceFlow } from './device-flow.ts'
import { pages } from './page-replies.ts'

type FeatureDependencies = ResourceDependencies &
  Omit<Parameters<typeof makeDeviceFlow>[0], 'cookies'> & { registration: Registration }

interface ClientRules {
  /** Returns our client for a client of the library. */
  requireLoadedClient: (client: LibraryClient) => LoadedClient
  isFapi: (client: LibraryClient) => boolean
  findAccount: FindAccount
  pageCookies: ReturnType<typeof openCookies>
}

export const makeFeatures = (
  dependencies: FeatureDependencies,
  { requireLoadedClient, isFapi, findAccount, pageCookies }: ClientRules,
): NonNullable<Configuration['features']> => ({
  clientCredentials: { enabled: true },
  claimsParameter: { enabled: true },
  introspection: {
    enabled: true,
    // Only refresh tokens come here. Other clients may not learn whose they are.
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
  resourceIndicators: makeResourceFeature(dependencies, requireLoadedClient),
  rpInitiatedLogout: {
    enabled: true,
    logoutSource: ctx => pages.logout(ctx),
    postLogoutSuccessSource: ctx => pages.loggedOut(ctx),
  },
  deviceFlow: makeDeviceFlow({ ...dependencies, cookies: pageCookies }),
  devInteractions: { enabled: false },
  // The library adds `sid` to ID tokens; we send the logout tokens (sessions/logout-delivery.ts).
  backchannelLogout: { enabled: true },
  // A draft by name only: two browser SDKs have relied on it for years.
  webMessageResponseMode: { enabled: true, ack: 'individual-draft-01' },
  dPoP: { enabled: true },
  clientIdMetadataDocument: dependencies.metadataDocuments.feature,
  pushedAuthorizationRequests: { enabled: true },
  registration: dependencies.registration.feature,
  fapi: {
    enabled: true,
    profile: (_ctx, client) => (client && isFapi(client) ? '2.0' : undefined),
  },
})
