/** Removes trailing slashes, because people write addresses with and without them. */
export const trimTrailingSlashes = (address: string): string => address.replace(/\/+$/, '')

type QueryValues = Readonly<Record<string, string | number | boolean | undefined>>

/** Writes the query parameters that have a value, with their question mark. */
export const buildQueryString = (query: QueryValues): string => {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value))
  return search.size === 0 ? '' : `?${search}`
}

/** Appends `path`, which starts with a slash, and the query parameters that have a value to a service's address. */
export const buildAddress = (base: string, path: string, query: QueryValues = {}): string =>
  `${trimTrailingSlashes(base)}${path}${buildQueryString(query)}`
