/** Addresses as audiences: what a token for one address opens. */

/** An address without the slash at its end, which clients write or leave out. */
export const withoutSlash = (address: string): string =>
  address.endsWith('/') ? address.slice(0, -1) : address

/** A segment of a path as it is meant: `a%62c` is `abc`. One that is encoded wrongly stands for itself. */
export const decodeSegment = (segment: string): string => {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/**
 * Whether a token for `audience` holds at `address`, a URL without query: there and below it (query-service.md, "A token opens one
 * workspace"). Compares whole segments, decoded as the paths of queries are: `…/api/dict` does not cover `…/api/dictionary`, and
 * `…/4/a%62c` is `…/4/abc`.
 */
export const audienceCovers = (audience: string, address: string): boolean => {
  const base = withoutSlash(audience)
  if (base === '') return false
  // Nearly always.
  if (address === base || address.startsWith(`${base}/`)) return true
  if (!base.includes('%') && !address.includes('%')) return false
  const addressSegments = address.split('/')
  const audienceSegments = base.split('/')
  return audienceSegments.every((segment, index) => {
    const addressSegment = addressSegments[index]
    return addressSegment !== undefined && decodeSegment(segment) === decodeSegment(addressSegment)
  })
}
