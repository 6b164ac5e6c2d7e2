/**
 * The authorization code flow with PKCE (RFC 6749, section 4.1; RFC 7636), for pages that keep the tokens themselves. `browserSignIn` keeps
 * them for you.
 */
import { buildAddress, trimTrailingSlashes } from './address.ts'
import { sendTokenRequest, type TokenReply } from './auth.ts'
import { ApiError } from './errors.ts'
import { createPkce, randomText, readIdToken } from './pkce.ts'

export interface AuthorizationClient {
  authUrl: string
  /** A public client, which has no secret. */
  clientId: string
  redirectUri: string
}

/** State of a sign-in under way. Keep it in this tab, such as in sessionStorage, until the answer comes. */
export interface PendingAuthorization {
  state: string
  nonce: string
  verifier: string
}

/**
 * Starts a sign-in. Returns the address to open and the state to keep. `parameters`: those of the authorization request besides the ones of
 * the flow, such as `scope`, `audience` or `acr_values`. A list gives a parameter several times, as RFC 8707 allows for `resource`.
 */
export const startAuthorization = async (
  { authUrl, clientId, redirectUri }: AuthorizationClient,
  parameters: Readonly<Record<string, string | readonly string[] | undefined>>,
): Promise<{ address: string; pending: PendingAuthorization }> => {
  const { verifier, challenge } = await createPkce()
  const pending = { state: randomText(), nonce: randomText(), verifier }
  const search = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    state: pending.state,
    nonce: pending.nonce,
    code_challenge: challenge,
    code_challenge_method: 'S256',
  })
  for (const [name, value] of Object.entries(parameters))
    for (const one of value === undefined ? [] : [value].flat()) search.append(name, one)
  return { address: `${buildAddress(authUrl, '/authorize')}?${search}`, pending }
}

/**
 * Checks the answer at the redirect URI and redeems its code, for a token of `resource` if it is given. Throws `ApiError` with the OAuth error
 * as its code, such as `access_denied`, or `state-mismatch`, `issuer-mismatch` or `nonce-mismatch`.
 */
export const finishAuthorization = async (
  { authUrl, clientId, redirectUri }: AuthorizationClient,
  pending: PendingAuthorization | undefined,
  answer: URLSearchParams,
  resource?: string,
): Promise<TokenReply> => {
  if (!pending || answer.get('state') !== pending.state)
    throw refusal('state-mismatch', 'this tab did not start the sign-in: start it again')
  // The answer of another server would send the code there (RFC 9207, section 2.4).
  if (trimTrailingSlashes(answer.get('iss') ?? '') !== trimTrailingSlashes(authUrl))
    throw refusal('issuer-mismatch', 'another server answered the sign-in')
  const error = answer.get('error')
  if (error !== null) throw refusal(error, answer.get('error_description') ?? error)
  const request = {
    grant_type: 'authorization_code',
    client_id: clientId,
    code: answer.get('code') ?? '',
    redirect_uri: redirectUri,
    code_verifier: pending.verifier,
    ...(resource === undefined ? {} : { resource }),
  }
  const reply = await sendTokenRequest(authUrl, request, undefined)
  if (reply.id_token !== undefined) {
    // The checks of OpenID Connect Core, section 3.1.3.7, besides the signature (`readIdToken`) and the end: the server issued the token just
    // now, and the clocks of phones are wrong.
    const claims = readIdToken(reply.id_token)
    if (claims?.nonce !== pending.nonce)
      throw refusal('nonce-mismatch', 'the ID token belongs to another sign-in')
    const issuer = trimTrailingSlashes(String(claims.iss))
    if (issuer !== trimTrailingSlashes(authUrl) || ![claims.aud].flat().includes(clientId))
      throw refusal('issuer-mismatch', 'the ID token is of another server or for another application')
  }
  return reply
}

const refusal = (code: string, message: string): ApiError => new ApiError(400, { code, message })
