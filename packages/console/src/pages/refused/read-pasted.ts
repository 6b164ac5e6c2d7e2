/** Reads what people paste to have a refusal explained: a request ID or an access token, alone or with what surrounds it. */

export type Pasted = { requestId: string } | { token: string }

/** The request IDs of the server are UUIDs (RFC 9562). */
const requestIdFormat = /\b[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}\b/i

/** Finds a JWT (RFC 7519), signed or encrypted. Its header is a JSON object, which begins with `{"`. */
const jwtFormat = /\beyJ[\w-]*(?:\.[\w-]*){2,4}/
const threeParts = /^[\w-]+\.[\w-]*\.[\w-]*$/
/** Finds the text after the name of an HTTP authentication scheme: a token, whatever its form. */
const schemeFormat = /\b(?:bearer|dpop)\s+([^\s'"]+)/i

/**
 * Returns the token or the request ID in the text, such as a header line, an option of curl or a whole reply; undefined if it has neither.
 * A text with a token is never taken for a request ID: those become part of addresses.
 */
export const readPasted = (text: string): Pasted | undefined => {
  const trimmed = text.trim()
  const [jwt] = jwtFormat.exec(trimmed) ?? []
  const [, afterScheme] = schemeFormat.exec(trimmed) ?? []
  const token = jwt ?? afterScheme ?? (threeParts.test(trimmed) ? trimmed : undefined)
  if (token !== undefined) return { token }
  const [requestId] = requestIdFormat.exec(trimmed) ?? []
  return requestId === undefined ? undefined : { requestId: requestId.toLowerCase() }
}
