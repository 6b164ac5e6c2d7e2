/** Request objects (OpenID Connect Core, section 6; RFC 9101) are rejected, signed or not. */
import { decodeJwt } from 'jose'

/**
 * Adds the parameters of a request object that decide how the error is sent. `state` and `response_mode`
 * replace those of the query; `redirect_uri` counts only if the query has none. The library validates all of
 * them. Does nothing if it is not a JWT.
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
