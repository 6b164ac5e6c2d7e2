/** Audiences: the addresses that a token for an address opens. */

/** Removes the slash at the end, which clients may write or omit. */
export const withoutSlash = (address: string): string =>
  address.endsWith('/') ? address.slice(0, -1) : address

/** Decodes a segment of a path: `a%62c` is `abc`. A malformed segment stays as it is. */
export const decodeSegment = (segment: string): string => {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/**
 * True if a token for `audience` is valid at `address`, a URL without query: at the audience and below it (query-service.md, "A token opens
 * one workspace"). Compares whole, decoded segments: `…/api/dict` does not cover `…/api/dictionary`, and `…/4/a%62c` is `…/4/abc`.
 */
export const audienceCovers = (audience: string, address: string): boolean => {
  const base = withoutSlash(audience)
  if (base === '') return false
  // The common case.
  if (address === base || address.startsWith(`${base}/`)) return true
  if (!base.includes('%') && !address.includes('%')) return false
  const addressSegments = address.split('/')
  const audienceSegments = base.split('/')
  return audienceSegments.every((segment, index) => {
    const addressSegment = addressSegments[index]
    return addressSegment !== undefined && decodeSegment(segment) === decodeSegment(addressSegment)
  })
}

/** Returns the slug of the workspace in a canonical address of the query service; undefined for other addresses. */
export const readWorkspaceSlug = (address: string, baseUrl: string): string | undefined =>
  audienceCovers(baseUrl, address) ? /^\/4\/([^/]+)/.exec(address.slice(baseUrl.length))?.[1] : undefined
