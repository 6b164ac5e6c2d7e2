/** Which addresses of servers are taken: by settings, and by the command line. */

/** The name or address of a URL that leads to this machine. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(\.\d+){3}$/.test(host)

/** A text as messages show it, cut to 100 characters. */
export const quoted = (text: string): string =>
  JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text)

/**
 * What an address has to be instead, without the name of what was read, or undefined for an origin that may be used, with or without a
 * slash at its end. Plain http would send tokens in clear, so only this machine may use it.
 */
export const originProblem = (text: string): string | undefined => {
  const url = URL.parse(text)
  if (url === null) return `${quoted(text)} is not an address such as https://example.org`
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return `${quoted(text)} does not begin with https:// (or http:// on this machine)`
  if (url.username || url.password || url.search || url.hash || url.pathname !== '/' || /[?#]/.test(text))
    return `${quoted(text)} has more than an origin: write ${url.origin}, without path, query or user`
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    return `${quoted(text)} would send tokens unencrypted: use https, http is for 127.0.0.1, [::1] and localhost only`
  return undefined
}
