/**
 * Errors of the library in words that a person can act on (RFC 6749, section 5.2), and nothing of their causes. The codes stay, but for
 * a grant that is not the client's: that is `unauthorized_client`.
 */
import { errors } from 'oidc-provider'
import { Problem } from '#errors'

export interface ErrorReply {
  status: number
  headers: Readonly<Record<string, string>>
  body: { error: string; error_description: string }
}

/** One sentence for a wrong Client ID, a wrong, expired or removed secret, and a disabled account: nobody learns which. */
const clientRefused =
  'client authentication failed: the Client ID or the Client Secret (or assertion) is wrong, expired or removed, or the account is disabled'

/** The library's description → ours. */
const better: Readonly<Record<string, string>> = {
  'client authentication failed': clientRefused,
  'no client authentication mechanism provided':
    'no client authentication: send client_id and client_secret in the form body, or by HTTP Basic',
  'invalid authorization header value format':
    'the Authorization header is malformed: write Basic and the base64 of client_id:client_secret, or send both in the form body',
  'missing required parameter grant_type':
    'grant_type is missing: send a form body (application/x-www-form-urlencoded) with grant_type=client_credentials',
  "missing required parameter 'grant_type'":
    'grant_type is missing: send a form body (application/x-www-form-urlencoded) with grant_type=client_credentials',
  'unsupported grant_type requested': 'this grant_type is not known here: send grant_type=client_credentials',
  'failed to parse the request body':
    'the form body could not be read: it was cut off, is longer than 56 KiB or of an unknown charset',
}

/** How the library says that a grant is not among those of the client. */
const grantRefused = 'requested grant type is not allowed for this client'

/** What the client sees of an error. `requestId` finds the rest in the log. */
export const explain = (error: unknown, requestId: string, baseUrl: string): ErrorReply => {
  if (error instanceof Problem && error.status === 503)
    return {
      status: 503,
      headers: error.headers,
      body: { error: 'temporarily_unavailable', error_description: error.message },
    }
  if (!(error instanceof errors.OIDCProviderError) || !error.expose)
    return {
      status: 500,
      headers: {},
      body: {
        error: 'server_error',
        error_description: `something went wrong on our side; the log has the details under request ${requestId}`,
      },
    }
  return { status: statusOf(error), headers: {}, body: words(error, baseUrl) }
}

const words = (error: errors.OIDCProviderError, baseUrl: string): ErrorReply['body'] => {
  const description = error.error_description ?? ''
  if (description === grantRefused)
    return {
      error: 'unauthorized_client',
      error_description:
        'this client may not use this grant: client_credentials is for System-to-System accounts with a secret or key',
    }
  if (error.error === 'invalid_target' && !description.includes(baseUrl))
    return { error: error.error, error_description: `${description}: send audience=${baseUrl}` }
  return { error: error.error, error_description: better[description] ?? description }
}

/** The library reads at most 56 KiB and calls a longer body malformed. */
const statusOf = (error: errors.OIDCProviderError): number =>
  error.cause instanceof Error && error.cause.message === 'request entity too large' ? 413 : error.statusCode
