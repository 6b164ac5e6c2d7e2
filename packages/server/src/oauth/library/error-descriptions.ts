/**
 * Describes the library's errors so that people can act on them (RFC 6749, section 5.2), without their
 * causes. The codes stay, except for a grant not allowed for the client, which is `unauthorized_client`.
 */
import { errors } from 'oidc-provider'
import { Problem } from '#errors'
import { minuteSeconds } from '#memory/minute-counter'

export interface OAuthErrorReply {
  status: number
  headers: Readonly<Record<string, string>>
  body: { error: string; error_description: string }
}

/**
 * The same sentence for a wrong Client ID, a wrong, expired or removed secret, and a disabled account, so
 * that nobody learns which.
 */
const clientRefused =
  'client authentication failed: the Client ID or the Client Secret (or assertion) is wrong, expired or removed, or the account is disabled'

/** The library's description of an audience in a token request that `/authorize` did not have. */
const audienceNotRequested = 'resource indicator is missing, or unknown'

const challengeMissing = 'code_challenge is missing: send it with code_challenge_method=S256 (RFC 7636)'
const methodMissing =
  'code_challenge_method must be S256: send the SHA-256 of the code_verifier, in base64url, as code_challenge (RFC 7636)'

/** The library's detail of a DPoP proof that was used before; its code is `invalid_grant` (RFC 9449, section 5, has one of its own). */
export const replayedProof = 'DPoP proof JWT Replay detected'
/** The library's detail of a missing DPoP proof; its code is `invalid_grant` too. */
const missingProof = 'DPoP proof JWT not provided'
/** Our detail of a refresh that the workspace's own OpenID provider does not confirm. */
export const notRenewed = 'the OpenID provider of the workspace no longer lets the person in'

/** Descriptions by the details of `invalid_grant` and `invalid_token`; those of the library are about DPoP. */
const descriptionByDetail: Readonly<Record<string, string>> = {
  [notRenewed]: `${notRenewed}: start again at /authorize, which leads there`,
  'missing DPoP proof JWT': 'the code is bound to a key: send a DPoP proof by that key',
  'DPoP proof key thumbprint does not match dpop_jkt':
    'the DPoP proof has another key than the authorization request (dpop_jkt)',
  'failed jkt verification': 'the token is bound to a key: send a DPoP proof by that key',
}

/** Our descriptions by the library's. */
const descriptionOverrides: Readonly<Record<string, string>> = {
  'client authentication failed': clientRefused,
  'no client authentication mechanism provided':
    'no client authentication: send client_id and client_secret in the form body, or by HTTP Basic',
  'invalid authorization header value format':
    'the Authorization header is malformed: write Basic and the base64 of client_id:client_secret, or send both in the form body',
  'missing required parameter grant_type':
    'grant_type is missing: send a form body (application/x-www-form-urlencoded) with grant_type=authorization_code, refresh_token or client_credentials',
  "missing required parameter 'grant_type'":
    'grant_type is missing: send a form body (application/x-www-form-urlencoded) with grant_type=authorization_code, refresh_token or client_credentials',
  'unsupported grant_type requested':
    'unknown grant_type: send authorization_code, refresh_token, client_credentials or urn:ietf:params:oauth:grant-type:device_code',
  'grant request is invalid':
    'the code or refresh token is wrong, expired, used or revoked, or belongs to another client, redirect_uri or code_verifier, or the person is no longer a member or disabled: start again at /authorize, or at /oauth/device/code on a device',
  'client is invalid': 'no application has this client_id, or it is disabled',
  "redirect_uri did not match any of the client's registered redirect_uris":
    'redirect_uri is not registered for this application: it must match exactly',
  'Authorization Server policy requires PKCE to be used for this request': challengeMissing,
  'client_secret must be provided in the Authorization header':
    'the Authorization header holds no secret: a public application (browser, native) sends its client_id in the form body and no header; a confidential one sends its secret',
  'unsupported response_type requested':
    'response_type must be code: there is no implicit and no hybrid flow (OAuth 2.1)',
  'unsupported response_mode requested': 'response_mode must be query, fragment, form_post or web_message',
  'unsupported prompt value requested': 'prompt must be none, or any of login and consent',
  'invalid max_age parameter value': 'max_age must be a whole number of seconds',
  'could not parse the claims parameter JSON': 'claims is not JSON (OpenID Connect Core, section 5.5)',
  'could not validate id_token_hint':
    'id_token_hint is not an ID token of this server: leave it out, or send one that it issued',
  'refresh token missing requested scope':
    'the refresh token does not have this scope: leave scope out, or request it at /authorize first',
  'refresh token missing requested scopes':
    'the refresh token does not have these scopes: leave scope out, or request them at /authorize first',
  'request_uri is invalid, expired, or was already used':
    'request_uri is wrong, expired or used: it works once, within a minute. Push the request again at /oauth/par',
  'Pushed Authorization Request must be used':
    'this application must push its requests: send the parameters to /oauth/par first (RFC 9126)',
  'requested response_type is not allowed for this client':
    'this client cannot sign people in: use a registered application with a redirect URI, with response_type=code',
  'device code is expired': 'nobody confirmed the code in time: start again at /oauth/device/code',
  'End-User aborted interaction': 'the person did not allow it',
  'client_id metadata document fetch failed':
    'the document at client_id could not be fetched: it must be JSON of at most 10 KB at a public https address, without redirect, within 5 seconds (Client ID Metadata Documents)',
  'client_secret is mandatory property':
    'token_endpoint_auth_method is missing in the document at client_id: set none, or private_key_jwt with jwks',
  'not supported value of code_challenge_method': methodMissing,
  'code_challenge_method must be provided': methodMissing,
  'code_challenge must be provided with code_challenge_method': challengeMissing,
  [audienceNotRequested]:
    'the audience or resource of the token request was not requested at /authorize: send it there as well, or leave it out here',
  'invalid token provided':
    'the access token is wrong, expired or revoked, or is not of a sign-in with scope=openid; an ID token carries the same claims',
  'invalid DPoP key binding':
    'the DPoP proof is no JWT with typ dpop+jwt that is signed by the public key in its header jwk (RFC 9449, section 4.2)',
  'DPoP proof htm mismatch': 'the DPoP proof is for another method (htm)',
  'DPoP proof htu mismatch': 'the DPoP proof is for another URL (htu)',
  'DPoP proof ath mismatch': 'the DPoP proof is for another access token (ath)',
  [replayedProof]: 'the DPoP proof was used before: make one for each request',
  [missingProof]:
    'this client only gets tokens that are bound to a key: send a DPoP proof with the request (RFC 9449)',
  'failed to parse the request body':
    'the form body could not be read: it was cut off, is longer than 56 KiB or of an unknown charset',
}

/** Errors without a description in the library (OpenID Connect Core, section 6). */
const descriptionByCode: Readonly<Record<string, string>> = {
  request_not_supported:
    'request objects are not supported: leave request out and send each parameter itself',
  request_uri_not_supported:
    'request objects are not supported: leave request_uri out and send each parameter itself',
  unsupported_response_type: 'response_type must be code',
  registration_not_supported:
    'leave registration out: an administrator of the workspace registers the application, and the request names its client_id',
}

/** The library's description of a missing client authentication. */
const notAuthenticated = 'no client authentication mechanism provided'
/** The library's description of a grant type not allowed for the client. */
const grantRefused = 'requested grant type is not allowed for this client'
/** The same, at the device authorization endpoint. */
const deviceGrantRefused = 'urn:ietf:params:oauth:grant-type:device_code is not allowed for this client'

/** Returns the reply to an error. `requestId` finds its details in the log. */
export const toErrorReply = (error: unknown, requestId: string, baseUrl: string): OAuthErrorReply => {
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
        error_description: `the server failed; its log has the details under request ${requestId}`,
      },
    }
  // RFC 6749, section 5.2: missing client authentication is `invalid_client` too.
  if (error.error_description === notAuthenticated)
    return {
      status: 401,
      headers: {},
      body: { error: 'invalid_client', error_description: describeError(notAuthenticated) },
    }
  const status = readStatus(error)
  return {
    status,
    headers: status === 429 ? { 'retry-after': String(minuteSeconds) } : {},
    body: toErrorBody(error, baseUrl),
  }
}

/** Returns our description instead of the library's, or of the error code if the library has none. */
export const describeError = (description: string, error = ''): string =>
  description === '' ? (descriptionByCode[error] ?? '') : (descriptionOverrides[description] ?? description)

const toErrorBody = (error: errors.OIDCProviderError, baseUrl: string): OAuthErrorReply['body'] => {
  const description = error.error_description ?? ''
  if (description === grantRefused)
    return {
      error: 'unauthorized_client',
      error_description:
        'this client may not use this grant: client_credentials is for System-to-System accounts with a secret or key, authorization_code and refresh_token are for applications, device_code for native ones',
    }
  if (description === deviceGrantRefused)
    return {
      error: 'unauthorized_client',
      error_description: 'only applications of type native may use the device code grant',
    }
  if (error.error_detail === replayedProof || error.error_detail === missingProof)
    return { error: 'invalid_dpop_proof', error_description: describeError(error.error_detail) }
  const ofDetail = descriptionByDetail[error.error_detail ?? '']
  if (ofDetail !== undefined) return { error: error.error, error_description: ofDetail }
  const override = describeError(description, error.error)
  // The value is valid but was requested too late, so don't suggest another one.
  if (error.error === 'invalid_target' && description !== audienceNotRequested && !override.includes(baseUrl))
    return { error: error.error, error_description: `${override}: send audience=${baseUrl}` }
  return { error: error.error, error_description: override }
}

/** The library reads at most 56 KiB and reports a longer body as malformed. */
const readStatus = (error: errors.OIDCProviderError): number =>
  error.cause instanceof Error && error.cause.message === 'request entity too large' ? 413 : error.statusCode
