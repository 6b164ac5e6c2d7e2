/** Removes trailing slashes, because people write addresses with and without them. */
const trimTrailingSlashes = (address: string): string => address.replace(/\/+$/, '')

/** Appends `path`, which starts with a slash, and the query parameters that have a value to a service's address. */
export const buildAddress = (
  base: string,
  path: string,
  query: Readonly<Record<string, string | number | boolean | undefined>> = {},
): string => {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value))
  return `${trimTrailingSlashes(base)}${path}${search.size === 0 ? '' : `?${search}`}`
}
