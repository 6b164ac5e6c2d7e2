/**
 * Bare oidc-provider with its defaults, except for the needs of the comparison: client credentials, and ES256 access tokens that are JWTs
 * for a resource. One client is static. Several come from an adapter in memory, because nobody restarts a server for each new client.
 */
import { randomBytes } from 'node:crypto'
import { exportJWK, generateKeyPair } from 'jose'
import Provider, { type Adapter, type AdapterPayload, type Configuration } from 'oidc-provider'
import { serveBare } from '#bench/http/bare'
import type { Account } from '#bench/http/querent'
import { peerAudience, peerIssuer } from './contender.ts'

const cookieKeyBytes = 32
const lifetimeSeconds = 900

const start = async (accounts: readonly Account[]) => {
  const clients = accounts.map(makeMetadata)
  const provider = new Provider(peerIssuer, {
    ...(clients.length === 1
      ? { clients }
      : { adapter: makeAdapter(new Map(clients.map(one => [one.client_id, one]))) }),
    // The library requires an RS256 key, because it signs ID tokens with it by default.
    jwks: { keys: [await newKey('ES256'), await newKey('RS256')] },
    cookies: { keys: [randomBytes(cookieKeyBytes).toString('base64url')] },
    features: {
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => ({
          scope: '',
          audience: peerAudience,
          accessTokenFormat: 'jwt',
          accessTokenTTL: lifetimeSeconds,
          jwt: { sign: { alg: 'ES256' } },
        }),
      },
    },
  })
  serveBare(provider.callback())
}

const makeMetadata = ({ clientId, clientSecret }: Account) => ({
  client_id: clientId,
  client_secret: clientSecret,
  redirect_uris: [],
  response_types: [],
  grant_types: ['client_credentials'],
})

const newKey = async (alg: string) => {
  const { privateKey } = await generateKeyPair(alg, { extractable: true })
  return { ...(await exportJWK(privateKey)), alg, use: 'sig' }
}

/** Stores only clients, because tokens that are JWTs are not stored. */
const makeAdapter = (clients: ReadonlyMap<string, AdapterPayload>): NonNullable<Configuration['adapter']> => {
  const ignore = async () => undefined
  return (model): Adapter => ({
    find: async id => (model === 'Client' ? clients.get(id) : undefined),
    findByUid: ignore,
    findByUserCode: ignore,
    upsert: ignore,
    consume: ignore,
    destroy: ignore,
    revokeByGrantId: ignore,
  })
}

process.once('message', start)
