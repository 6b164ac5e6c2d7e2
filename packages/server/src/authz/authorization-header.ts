/** The header `Authorization`. */
import { AuthorizationError, makeTokenRefusal } from './authorization-error.ts'
import { failedCheck } from './token-checks.ts'

/** True if the header `Authorization` has the scheme DPoP, whatever follows. */
export const isDpopScheme = (authorization: string | undefined): boolean =>
  authorization !== undefined && /^\s*dpop(?:\s|$)/i.test(authorization)

/**
 * Reads the token of an `Authorization` header (RFC 6750, section 2.1; RFC 9449, section 7.1). Accepts the scheme in any case. Throws
 * {@link AuthorizationError} (401).
 */
export const readAuthorization = (header: string | undefined): { scheme: 'bearer' | 'dpop'; jwt: string } => {
  if (header === undefined || header.trim() === '')
    throw new AuthorizationError(
      'no-token',
      'this address needs an access token: Authorization: Bearer <ACCESS_TOKEN>',
      failedCheck('token', 'no token was sent'),
    )
  const [name = '', jwt = '', ...rest] = header.trim().split(/ +/)
  const scheme = name.toLowerCase()
  if (scheme !== 'bearer' && scheme !== 'dpop') {
    const message = 'the Authorization header has another scheme: write Bearer <ACCESS_TOKEN>'
    if (jwt === '') throw makeHeaderRefusal(message)
    // Another scheme counts as no token (https://www.rfc-editor.org/rfc/rfc6750#section-3.1).
    throw new AuthorizationError('no-token', message, failedCheck('token', message))
  }
  if (jwt === '' || rest.length > 0)
    throw makeHeaderRefusal(
      `the Authorization header is malformed: write ${scheme === 'dpop' ? 'DPoP' : 'Bearer'} <ACCESS_TOKEN>`,
    )
  return { scheme, jwt }
}

const makeHeaderRefusal = (message: string): AuthorizationError =>
  makeTokenRefusal(failedCheck('token', message))
