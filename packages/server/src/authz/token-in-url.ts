/** Tokens in URLs end up in logs and histories, so none is taken from there (RFC 9700, section 4.3.2). */
import { Problem } from '#errors'

/** `search` is what stands behind the question mark. Throws 400 when it has an `access_token`. */
export const refuseTokenInUrl = (search: string): void => {
  // Names may be percent-encoded; most queries have neither.
  if (
    (search.includes('access_token') || search.includes('%')) &&
    new URLSearchParams(search).has('access_token')
  )
    throw new Problem(
      'token-in-url',
      'a token in the URL is refused: send it in the header Authorization: Bearer <ACCESS_TOKEN>',
    )
}
