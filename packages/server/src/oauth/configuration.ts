/** The settings of oidc-provider: which features there are, what a token says, how long it lives. */
import { type Configuration, errors, type KoaContextWithOIDC, type ResourceServer } from 'oidc-provider'
import type { Keyring } from '#http/keyring'
import type { Storage } from '#storage/db'
import { recordAdapter } from './adapter.ts'
import type { Authentication } from './authentication.ts'
import type { Clients, KnownClient } from './clients.ts'
import type { LibraryClient } from './library.ts'
import { defaultLifetimeSeconds } from './lifetime.ts'
import { type Choice, chooseAudience, type Services } from './resource.ts'

interface Dependencies extends Services {
  storage: Storage
  keyring: Keyring
  clients: Clients
  accessTokenAlgorithm: 'ES256' | 'EdDSA'
  authentication: Authentication
  /** Which client a client of the library was made of. */
  knownOf: (client: LibraryClient) => KnownClient | undefined
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

export const configuration = (dependencies: Dependencies): Configuration => {
  const { storage, keyring, clients, accessTokenAlgorithm, authentication, knownOf } = dependencies

  const known = (client: LibraryClient): KnownClient => {
    const found = knownOf(client)
    if (!found) throw new Error('a client of the library stands for none of ours')
    return found
  }
  const choose = (ctx: KoaContextWithOIDC, client: LibraryClient, resource: string | undefined): string => {
    const own = known(client).row.kind === 'own'
    return audienceOf(chooseAudience({ audience: audienceParameter(ctx), resource, own }, dependencies))
  }

  return {
    adapter: recordAdapter(storage),
    jwks: { keys: keyring.privateJwks() },
    routes,
    clockTolerance: clockSkewSeconds,
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'],
    // Grants by which people sign in come with their pages; until then no response type, so no code.
    responseTypes: [],
    scopes: [],
    features: {
      clientCredentials: { enabled: true },
      introspection: {
        enabled: true,
        // Opaque tokens alone come here, and none are given yet.
        allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId,
      },
      revocation: {
        enabled: true,
        allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId,
      },
      resourceIndicators: {
        enabled: true,
        // Called when there is no `resource`: then the `audience` is it. Client credentials without either would get an opaque token.
        defaultResource: (ctx, client) =>
          ctx.oidc.params?.grant_type === 'client_credentials' ? choose(ctx, client, undefined) : undefined,
        async getResourceServerInfo(ctx, resource, client): Promise<ResourceServer> {
          return {
            audience: choose(ctx, client, resource),
            scope: '',
            accessTokenFormat: 'jwt',
            accessTokenTTL: await clients.lifetimeSeconds(known(client)),
            jwt: { sign: { alg: accessTokenAlgorithm } },
          }
        },
      },
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      rpInitiatedLogout: { enabled: false },
    },
    formats: {
      customizers: {
        jwt(_ctx, token, { payload }) {
          // authorization-server.md lists `scope` among the claims, so it is there when it is empty too.
          payload.scope ??= ''
          // A code or refresh token replayed ends the tokens of its grant, at the query service too.
          if ('grantId' in token && token.grantId !== undefined) payload.grant_id = token.grantId
        },
      },
    },
    ttl: {
      AccessToken: (_ctx, token) => token.resourceServer?.accessTokenTTL ?? defaultLifetimeSeconds,
      ClientCredentials: (_ctx, token) => token.resourceServer?.accessTokenTTL ?? defaultLifetimeSeconds,
    },
    assertJwtClientAuthClaimsAndHeader(ctx, claims, _header, client) {
      if (Number(claims.exp) > Date.now() / 1000 + assertionSecondsMax + clockSkewSeconds)
        throw new errors.InvalidClientAuth('the assertion is good for more than an hour')
      authentication.refuseForeignAddress(known(client), ctx.req)
    },
    // Origins are settled in front of the library (entrance.ts).
    clientBasedCORS: () => true,
    findAccount: () => undefined,
    renderError(ctx, out) {
      ctx.body = out
    },
  }
}

/** The library keeps the parameters that it knows; this one is read from the body itself. An empty one counts as absent. */
const audienceParameter = (ctx: KoaContextWithOIDC): string | undefined => {
  // Parsed by the library with node:querystring: a parameter that came twice is a list.
  const value: unknown = ctx.oidc.body?.audience
  if (Array.isArray(value)) throw new errors.InvalidRequest("'audience' parameter must not be provided twice")
  return typeof value === 'string' && value !== '' ? value : undefined
}

const audienceOf = (choice: Choice): string => {
  if ('audience' in choice) return choice.audience
  if (choice.error === 'invalid_request') throw new errors.InvalidRequest(choice.description)
  throw new errors.InvalidTarget(choice.description)
}
