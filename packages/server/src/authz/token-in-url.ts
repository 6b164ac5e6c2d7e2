/** Rejects tokens in URLs, because URLs end up in logs and histories (RFC 9700, section 4.3.2). */
import { Problem } from '#errors'

/** `search` is the query string without the question mark. Throws 400 if it has an `access_token`. */
export const refuseTokenInUrl = (search: string): void => {
  // Fast check: the name may be percent-encoded, but most queries contain neither.
  if (
    (search.includes('access_token') || search.includes('%')) &&
    new URLSearchParams(search).has('access_token')
  )
    throw new Problem(
      'token-in-url',
      'a token in the URL is refused: send it in the header Authorization: Bearer <ACCESS_TOKEN>',
    )
}
