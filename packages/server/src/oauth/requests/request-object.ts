/** Request objects (OpenID Connect Core, section 6; RFC 9101): the server refuses them, signed or not. */
import { decodeJwt } from 'jose'

/**
 * Adds to an authorization request the parameters of its request object that say where and how the refusal goes: `state` and
 * `response_mode` replace those of the query, as in the library where it accepts request objects; `redirect_uri` counts if the query has
 * none. The library checks all of them like parameters of the query. Does nothing for what is no JWT.
 */
export const readReplyParameters = (params: Record<string, unknown>): void => {
  const { request } = params
  if (typeof request !== 'string') return
  const { state, response_mode, redirect_uri } = readPayload(request)
  if (typeof state === 'string') params.state = state
  if (typeof response_mode === 'string') params.response_mode = response_mode
  if (typeof redirect_uri === 'string') params.redirect_uri ??= redirect_uri
}

const readPayload = (jwt: string): Record<string, unknown> => {
  try {
    return decodeJwt(jwt)
  } catch {
    return {}
  }
}
