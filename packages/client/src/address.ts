/** A service's address without the slashes at its end: people write it both ways. */
const withoutSlash = (address: string): string => address.replace(/\/+$/, '')

/** `path` (beginning with a slash) at a service's address, with the query parameters that have a value. */
export const addressOf = (
  base: string,
  path: string,
  query: Readonly<Record<string, string | number | boolean | undefined>> = {},
): string => {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value))
  return `${withoutSlash(base)}${path}${search.size === 0 ? '' : `?${search}`}`
}
