/**
 * Keys of workspaces' own OpenID providers, and the check of what they signed. The key set is fetched again at once for a key that is not in
 * it, because providers rotate keys without notice (OpenID Connect Core, section 10.1.1), but every few seconds at most: anybody can send
 * tokens with made-up keys. openid-client would refuse a new key for a minute.
 */
import {
  createRemoteJWKSet,
  customFetch,
  errors,
  type JWTVerifyOptions,
  type JWTVerifyResult,
  jwtVerify,
} from 'jose'
import { LRUCache } from 'lru-cache'
import type { ClientFetch } from '#http/public-fetch'

/** Keys are fetched again for an unknown key at most once in this time. */
const cooldownMs = 5000
const keySetsMax = 500
/** Difference of clocks that is allowed, as of this server's own clients. */
export const clockSkewSeconds = 60

/** All asymmetric algorithms of ID tokens in use; `none` and shared secrets are refused. */
const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
]

export interface ProviderKeys {
  /**
   * Verifies signature, `iss`, `aud` and times of a JWT; clocks may differ by {@link clockSkewSeconds}. Throws an error of jose, or what `fetch` throws; {@link isKeyFetchError} tells whether
   * the keys were not there.
   */
  verify(
    jwt: string,
    jwksUri: string,
    options: Pick<JWTVerifyOptions, 'issuer' | 'audience' | 'requiredClaims' | 'maxTokenAge'>,
  ): Promise<JWTVerifyResult>
}

export const openProviderKeys = (fetch: ClientFetch): ProviderKeys => {
  const keySets = new LRUCache<string, ReturnType<typeof createRemoteJWKSet>>({ max: keySetsMax })
  const findKeySet = (jwksUri: string) => {
    const existing = keySets.get(jwksUri)
    if (existing) return existing
    const keySet = createRemoteJWKSet(new URL(jwksUri), {
      cooldownDuration: cooldownMs,
      [customFetch]: address => fetch(address, { headers: { accept: 'application/json' } }),
    })
    keySets.set(jwksUri, keySet)
    return keySet
  }
  return {
    verify: (jwt, jwksUri, options) =>
      jwtVerify(jwt, findKeySet(jwksUri), { ...options, algorithms, clockTolerance: clockSkewSeconds }),
  }
}

/** Whether the provider's keys could not be read, which says nothing about the token. */
export const isKeyFetchError = (error: unknown): boolean =>
  error instanceof errors.JWKSTimeout ||
  error instanceof errors.JWKSInvalid ||
  (error instanceof errors.JOSEError && error.code === 'ERR_JOSE_GENERIC')
