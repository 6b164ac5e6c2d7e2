/** Parses access tokens (RFC 9068) without verifying them. */
import { decodeJwt, decodeProtectedHeader, errors as joseErrors } from 'jose'

/** The claims of one of our access tokens (RFC 9068). Trust them only after you have verified the signature. */
export interface AccessToken {
  issuer: string
  subject: string
  clientId: string
  audience: readonly string[]
  jti: string
  /** Id of the grant that issued it. A replayed code or refresh token ends all tokens of its grant. */
  grantId: string | undefined
  scope: string
  /** Thumbprint of the key that it is bound to (RFC 9449, section 6.1): each request needs a DPoP proof. */
  keyThumbprint: string | undefined
  /** Authentication level of the sign-in (contract/authentication-levels.ts); undefined: of no sign-in. */
  acr: string | undefined
  /**
   * Id of the only workspace that it opens, although its client opens all: the person signed in through the provider of that
   * workspace, which can't speak for them elsewhere.
   */
  workspaceId: string | undefined
  /** Seconds since 1970. */
  issuedAt: number
  expiresAt: number
}

/** Longer than any token that we issue. */
export const tokenCharsMax = 16 * 1024

export interface DecodedToken {
  header: Record<string, unknown>
  claims: Record<string, unknown>
}

/** Decodes a JWT without verifying it. Undefined if it is no JWT, or too long. */
export const decodeToken = (token: string): DecodedToken | undefined => {
  if (token.length > tokenCharsMax) return undefined
  try {
    return { header: { ...decodeProtectedHeader(token) }, claims: { ...decodeJwt(token) } }
  } catch (error) {
    // jose throws TypeError for a bad header and JWTInvalid for bad claims. In both cases it is no JWT.
    if (error instanceof TypeError || error instanceof joseErrors.JOSEError) return undefined
    throw error
  }
}

/** Returns a claim that must be text, or '' if it is not. */
export const readText = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Returns the claims as an access token. Undefined if a required claim is missing. */
export const readClaims = (claims: Record<string, unknown>): AccessToken | undefined => {
  const { iss, sub, aud, client_id, jti, iat, exp, scope, grant_id, cnf, acr, workspace_id } = claims
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
    keyThumbprint: readKeyThumbprint(cnf),
    acr: readText(acr) || undefined,
    workspaceId: readText(workspace_id) || undefined,
    issuedAt: iat,
    expiresAt: exp,
  }
}

const readKeyThumbprint = (confirmation: unknown): string | undefined =>
  typeof confirmation === 'object' && confirmation !== null && 'jkt' in confirmation
    ? readText(confirmation.jkt)
    : undefined
