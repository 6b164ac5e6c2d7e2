/**
 * Access tokens that `/userinfo` accepts.
 * - A request without `audience` gets a token for `/userinfo` only. It is a JWT, so that the query service can
 * explain its rejection, with a record for the library's `/userinfo`.
 * - A request with an audience and the scope `openid` gets a token whose `aud` lists both. It has no record:
 * what the record would say is in the token and in its grant.
 */
import type { Bearer } from '#authz/bearer'
import type { Keyring } from '#keys/keyring'
import type { FoundToken, StoredToken } from '#oauth/library/oidc-provider-internals'
import { createTokenSigner } from './token-signer.ts'

interface Dependencies {
  keyring: Keyring
  bearer: Bearer
  authUrl: string
  accessTokenAlgorithm: 'ES256' | 'EdDSA'
}

export const userinfoAudience = (authUrl: string): string => `${authUrl}/userinfo`

/**
 * Adds `/userinfo` to the audience of a person's access token with the scope `openid` (RFC 9068, section 3: an
 * audience of several resources).
 */
export const addUserinfoAudience = (
  claims: { aud?: unknown; scope?: unknown },
  { authUrl }: { authUrl: string },
): void => {
  if (typeof claims.scope !== 'string' || !claims.scope.split(' ').includes('openid')) return
  if (typeof claims.aud === 'string') claims.aud = [claims.aud, userinfoAudience(authUrl)]
}

export const userinfoTokens = ({ keyring, bearer, authUrl, accessTokenAlgorithm }: Dependencies) => {
  const audience = userinfoAudience(authUrl)
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
    async read(jwt: string): Promise<FoundToken | undefined> {
      const token = await bearer.read(jwt)
      if (!token?.audience.includes(audience)) return undefined
      if (token.audience.length === 1) return { recordId: token.jti }
      const { subject: accountId, clientId, grantId, scope, jti, issuedAt: iat, expiresAt: exp } = token
      // A bound token needs its proof here too (RFC 9449, section 7.1).
      const binding = token.keyThumbprint === undefined ? {} : { jkt: token.keyThumbprint }
      return { payload: { accountId, clientId, grantId, scope, jti, iat, exp, ...binding } }
    },
  }
}
