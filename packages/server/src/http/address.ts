/** Addresses as audiences: what a token for one address opens. */

/** An address without the slash at its end, which clients write or leave out. */
export const withoutSlash = (address: string): string =>
  address.endsWith('/') ? address.slice(0, -1) : address

/**
 * Whether a token for `audience` holds at `address`: there and below it (query-service.md, "A token opens one workspace").
 * Compares whole segments: `…/api/dict` does not cover `…/api/dictionary`.
 */
export const covers = (audience: string, address: string): boolean => {
  const top = withoutSlash(audience)
  if (top === '' || !address.startsWith(top)) return false
  const next = address[top.length]
  return next === undefined || next === '/' || next === '?'
}
