/** Creates access tokens in the authorization server's format without calling it. */
import { randomUUID } from 'node:crypto'
import { importJWK, SignJWT } from 'jose'
import type { Keyring } from '#server/keys/keyring'

export const origins = { baseUrl: 'http://127.0.0.1:4000', authUrl: 'http://127.0.0.1:4001' }

/** Creates a token of a System-to-System account, valid for an hour. */
export const accessToken = async (keyring: Keyring, clientId: string): Promise<string> => {
  const jwk = keyring.privateJwks().find(({ alg }) => alg === 'ES256')
  if (!jwk?.kid) throw new Error('there is no key for access tokens')
  return new SignJWT({ client_id: clientId, scope: '' })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: jwk.kid })
    .setIssuer(`${origins.authUrl}/`)
    .setSubject(clientId)
    .setAudience(origins.baseUrl)
    .setJti(randomUUID())
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(await importJWK(jwk, 'ES256'))
}
