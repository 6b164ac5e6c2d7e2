/**
 * Access token of a request without `audience`, for `/userinfo` only. It is a JWT, so that the query service
 * can explain its rejection, with a record for the library's `/userinfo`.
 */
import type { Bearer } from '#authz/bearer'
import type { Keyring } from '#keys/keyring'
import type { StoredToken } from '#oauth/provider/oidc-provider-internals'
import { createTokenSigner } from './token-signer.ts'

interface Dependencies {
  keyring: Keyring
  bearer: Bearer
  authUrl: string
  accessTokenAlgorithm: 'ES256' | 'EdDSA'
}

export const userinfoTokens = ({ keyring, bearer, authUrl, accessTokenAlgorithm }: Dependencies) => {
  const audience = `${authUrl}/userinfo`
  const sign = createTokenSigner(keyring, accessTokenAlgorithm)
  return {
    /** RFC 9068, section 2. */
    write: (token: StoredToken): string =>
      sign({
        iss: `${authUrl}/`,
        sub: token.accountId,
        aud: audience,
        client_id: token.clientId,
        scope: token.scope,
        grant_id: token.grantId,
        jti: token.jti,
        iat: token.iat,
        exp: token.exp,
        ...(token.jkt === undefined ? {} : { cnf: { jkt: token.jkt } }),
      }),
    /** Returns the `jti` of a valid token. */
    async read(jwt: string): Promise<string | undefined> {
      const token = await bearer.read(jwt)
      return token?.audience.includes(audience) ? token.jti : undefined
    },
  }
}
