/** Token revocation (RFC 7009) of JWT access tokens; the library handles others. */

import { errors } from 'oidc-provider'
import type { Bearer } from '#authz/bearer'
import type { LoadedClient } from '#oauth/library/loaded-client'
import type { Storage } from '#storage/db'
import { revoke } from '#storage/revocations'

/** For every kind of token (RFC 7009, section 2.1). */
export const otherClientError = (): errors.InvalidGrant =>
  Object.assign(new errors.InvalidGrant('token of another client'), {
    error_description: 'the token was issued to another client, which alone may revoke it',
  })

/**
 * Revokes the token: the query service rejects it from the next request on. Unknown, expired and revoked
 * tokens are no error (RFC 7009, section 2.2). Throws `invalid_grant` for a token of another client (section
 * 2.1).
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
