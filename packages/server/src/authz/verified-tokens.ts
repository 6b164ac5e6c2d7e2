/** Verifies the form, issuer and signature of tokens, and remembers the ones that pass. */
import { hash } from 'node:crypto'
import type { Check } from '@querent/contract/manage'
import { LRUCache } from 'lru-cache'
import type { Keyring } from '#keys/keyring'
import { lruLimit } from '#memory/lru-limit'
import { type AccessToken, decodeToken, readClaims } from './access-token.ts'
import { makeTokenRefusal } from './authorization-error.ts'
import { readAuthorization } from './authorization-header.ts'
import type { TokenChecks } from './token-checks.ts'

/** Cached tokens with a verified signature; 20,000 take about 20 MB. */
const verifiedTokensMax = 20_000

/** The last header with a verified token. */
interface ConnectionToken {
  authorization: string
  token: AccessToken
}

type VerificationChecks = Pick<TokenChecks, 'checkForm' | 'checkIssuer' | 'checkKey' | 'checkSignature'>

export const openVerifiedTokens = (keyring: Keyring, checks: VerificationChecks) => {
  const verifiedTokens = new LRUCache<string, AccessToken>(lruLimit(verifiedTokensMax))
  /**
   * The last verified token, by connection. Keeping its header in clear is safe, because the connection carries it in clear. Tokens that
   * need a proof are never in it: they take the ordinary path.
   */
  let lastTokenByConnection = new WeakMap<object, ConnectionToken>()
  const lookups = { hits: 0, misses: 0 }

  /** Drops the cached tokens of keys that left the keyring. */
  keyring.onRotation(() => {
    verifiedTokens.clear()
    lastTokenByConnection = new WeakMap()
  })

  /** Returns the token if its form, issuer and signature are valid, from the cache if possible. */
  const verify = async (jwt: string): Promise<{ token: AccessToken } | { check: Check }> => {
    // The key is a hash, so that the cache has no token in clear.
    const key = hash('sha256', jwt, 'base64')
    const cachedToken = verifiedTokens.get(key)
    if (cachedToken) {
      lookups.hits += 1
      return { token: cachedToken }
    }
    lookups.misses += 1
    const decoded = decodeToken(jwt)
    const token = decoded && readClaims(decoded.claims)
    const form = checks.checkForm(decoded, token)
    if (!form.passed || !decoded || !token) return { check: form }
    const issuerCheck = checks.checkIssuer(token.issuer)
    if (!issuerCheck.passed) return { check: issuerCheck }
    const signature = await checks.checkSignature(jwt, decoded.header)
    if (!signature.passed) return { check: signature }
    // If the key was withdrawn during the verification, a cached token would stay valid until it expires.
    const keyCheck = checks.checkKey(decoded.header)
    if (!keyCheck.passed) return { check: keyCheck }
    verifiedTokens.set(key, token)
    return { token }
  }

  return {
    lookups,
    verify,
    /** Returns the token of this header if it was the last one that {@link readHeader} accepted on the connection. */
    findLast(authorization: string | undefined, connection: object): AccessToken | undefined {
      const last = lastTokenByConnection.get(connection)
      return last && last.authorization === authorization ? last.token : undefined
    },
    /** Returns the verified token of a header. Throws an AuthorizationError (401). */
    async readHeader(
      authorization: string | undefined,
      connection: object | undefined,
    ): Promise<AccessToken> {
      // If a key leaves the keyring during the verification, the token goes into the map that was dropped.
      const tokens = lastTokenByConnection
      const last = connection && tokens.get(connection)
      if (last && last.authorization === authorization) {
        lookups.hits += 1
        return last.token
      }
      const { scheme, jwt } = readAuthorization(authorization)
      const result = await verify(jwt)
      if ('check' in result) throw makeTokenRefusal(result.check)
      const { token } = result
      const needsProof = scheme !== 'bearer' || token.keyThumbprint !== undefined
      if (connection && authorization !== undefined && !needsProof)
        tokens.set(connection, { authorization, token })
      return token
    },
  }
}
