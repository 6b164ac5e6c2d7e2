/** What stands for a token in code that is shown. */
export const tokenPlace = '<ACCESS_TOKEN>'

/** For a POSIX shell. */
const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** A request to the query service, for a POSIX shell: GET, or POST of `body`. `headers`: those beside the token. */
export const curl = (
  address: string,
  headers: Readonly<Record<string, string>> = {},
  body?: string,
): string => {
  const all = { Authorization: `Bearer ${tokenPlace}`, ...headers }
  const sent = Object.entries(all).map(([name, value]) => `-H ${shellQuoted(`${name}: ${value}`)}`)
  const data = body === undefined ? [] : [`--data-binary ${shellQuoted(body)}`]
  return `curl -s ${[...sent, ...data, shellQuoted(address)].join(' \\\n  ')}`
}
