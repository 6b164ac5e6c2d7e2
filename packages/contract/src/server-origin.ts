/** Checks the origins of servers, for settings and for the command line. */

/** Returns whether the host of a URL is this machine. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(\.\d+){3}$/.test(host)

/** Quotes a text for a message, cut to 100 characters. */
export const quoted = (text: string): string =>
  JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text)

/**
 * Returns what is wrong with an origin, or undefined if a server may use it. A slash at the end is allowed. Plain http would send tokens
 * unencrypted, so only this machine may use it.
 */
export const serverOriginProblem = (text: string): string | undefined => {
  const url = URL.parse(text)
  if (url === null) return `${quoted(text)} is not an address such as https://example.org`
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return `${quoted(text)} does not start with https:// (or http:// on this machine)`
  if (url.username || url.password || url.search || url.hash || url.pathname !== '/' || /[?#]/.test(text))
    return `${quoted(text)} must be only an origin: use ${url.origin}, without path, query or user name`
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    return `${quoted(text)} would send tokens unencrypted: use https (http is only allowed for 127.0.0.1, [::1] and localhost)`
  return undefined
}
