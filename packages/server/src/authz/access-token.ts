/** Access tokens as RFC 9068 writes them: read, not yet believed. */
import { decodeJwt, decodeProtectedHeader, errors as joseErrors } from 'jose'

/** What an access token of ours says (RFC 9068), once its signature is known to be good. */
export interface AccessToken {
  issuer: string
  subject: string
  clientId: string
  audience: readonly string[]
  jti: string
  /** Id of the grant that it came from; a code or refresh token replayed ends them all. */
  grantId: string | undefined
  scope: string
  /** Seconds since 1970. */
  issuedAt: number
  expiresAt: number
}

/** Longer than any that we issue. */
export const tokenCharsMax = 16 * 1024

export interface DecodedToken {
  header: Record<string, unknown>
  claims: Record<string, unknown>
}

/** Reads the parts of a JWT without believing them. Undefined when it is none, or too long. */
export const decodeToken = (token: string): DecodedToken | undefined => {
  if (token.length > tokenCharsMax) return undefined
  try {
    return { header: { ...decodeProtectedHeader(token) }, claims: { ...decodeJwt(token) } }
  } catch (error) {
    // jose throws TypeError for a bad header and JWTInvalid for bad claims; both mean: no JWT.
    if (error instanceof TypeError || error instanceof joseErrors.JOSEError) return undefined
    throw error
  }
}

/** A claim that should be text; '' when it is none. */
export const readText = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The claims as an access token; undefined when one that it must have is missing. */
export const readClaims = (claims: Record<string, unknown>): AccessToken | undefined => {
  const { iss, sub, aud, client_id, jti, iat, exp, scope, grant_id } = claims
  const audience = (Array.isArray(aud) ? aud : [aud]).filter(value => typeof value === 'string')
  if (
    !readText(sub) ||
    !readText(client_id) ||
    !readText(jti) ||
    typeof exp !== 'number' ||
    typeof iat !== 'number'
  )
    return undefined
  return {
    issuer: readText(iss),
    subject: readText(sub),
    clientId: readText(client_id),
    audience,
    jti: readText(jti),
    grantId: readText(grant_id) || undefined,
    scope: readText(scope),
    issuedAt: iat,
    expiresAt: exp,
  }
}
