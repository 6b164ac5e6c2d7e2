/**
 * The access token of a request without `audience`: it opens `/userinfo` alone. A JWT like the others, so that the query service can say
 * what is wrong with it (authorization-server.md, Habits of real clients), with a record behind it that the library's `/userinfo` knows.
 */
import { importJWK, SignJWT } from 'jose'
import type { Bearer } from '#http/bearer'
import type { Keyring } from '#http/keyring'
import type { StoredToken } from './library.ts'

interface Dependencies {
  keyring: Keyring
  bearer: Bearer
  authUrl: string
  accessTokenAlgorithm: 'ES256' | 'EdDSA'
}

export const userinfoTokens = ({ keyring, bearer, authUrl, accessTokenAlgorithm }: Dependencies) => {
  const audience = `${authUrl}/userinfo`
  const jwk = keyring.privateJwks().find(({ alg }) => alg === accessTokenAlgorithm)
  if (!jwk?.kid) throw new Error(`there is no key for ${accessTokenAlgorithm}`)
  const header = { alg: accessTokenAlgorithm, typ: 'at+jwt', kid: jwk.kid }
  const key = importJWK(jwk, accessTokenAlgorithm)
  return {
    /** RFC 9068, section 2. */
    async write(token: StoredToken): Promise<string> {
      return new SignJWT({ client_id: token.clientId, scope: token.scope, grant_id: token.grantId })
        .setProtectedHeader(header)
        .setIssuer(`${authUrl}/`)
        .setSubject(token.accountId)
        .setAudience(audience)
        .setJti(token.jti)
        .setIssuedAt(token.iat)
        .setExpirationTime(token.exp)
        .sign(await key)
    },
    /** The `jti` of one that is good still. */
    async read(jwt: string): Promise<string | undefined> {
      const token = await bearer.read(jwt)
      return token?.audience.includes(audience) ? token.jti : undefined
    },
  }
}
