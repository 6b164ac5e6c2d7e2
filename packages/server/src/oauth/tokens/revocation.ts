/** Token revocation (RFC 7009) of access tokens that are JWTs; the library does the others. */
import { errors } from 'oidc-provider'
import type { Bearer } from '#authz/bearer'
import type { LoadedClient } from '#oauth/clients/clients'
import type { Storage } from '#storage/db'
import { revoke } from '#storage/revocations'

/** Whatever kind of token it is (RFC 7009, section 2.1). */
export const otherClientError = (): errors.InvalidGrant =>
  Object.assign(new errors.InvalidGrant('token of another client'), {
    error_description: 'the token was issued to another client, which alone may revoke it',
  })

/**
 * Ends the token: the query service refuses it from the next request on. One that is unknown, expired or revoked already is no error
 * (RFC 7009, section 2.2). Throws `invalid_grant` when it was issued to another client (section 2.1).
 */
export const revokeJwt = async (
  { bearer, storage }: { bearer: Bearer; storage: Storage },
  caller: LoadedClient,
  jwt: string,
): Promise<void> => {
  const token = await bearer.read(jwt)
  if (!token) return
  if (token.clientId !== caller.row.id) throw otherClientError()
  await storage.write(writer => revoke(writer, 'token', token.jti, token.expiresAt * 1000))
}
