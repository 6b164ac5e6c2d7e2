/** Placeholder of a token in code that is shown. */
export const tokenPlaceholder = '<ACCESS_TOKEN>'

/** For a POSIX shell. */
const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** A request to the query service, for a POSIX shell: GET, or POST of `body`. `headers`: those beside the token. */
export const curl = (
  address: string,
  headers: Readonly<Record<string, string>> = {},
  body?: string,
): string => {
  const allHeaders = { Authorization: `Bearer ${tokenPlaceholder}`, ...headers }
  const headerFlags = Object.entries(allHeaders).map(
    ([name, value]) => `-H ${shellQuoted(`${name}: ${value}`)}`,
  )
  const data = body === undefined ? [] : [`--data-binary ${shellQuoted(body)}`]
  return `curl -s ${[...headerFlags, ...data, shellQuoted(address)].join(' \\\n  ')}`
}
