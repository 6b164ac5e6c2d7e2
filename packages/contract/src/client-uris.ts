/** Redirect URIs and origins that an application may register. The console runs the same checks while you type. */
import { listNames } from './nearest-names.ts'

/** Names of this machine, as in `URL.hostname`. */
export const loopbackHosts: readonly string[] = ['127.0.0.1', '[::1]', 'localhost']

/**
 * Returns undefined for a redirect URI that may be registered, and a description of the allowed form for any other. It must be absolute,
 * without fragment (RFC 6749, section 3.1.2) and user name. It uses https, or http on a loopback address, or in native applications a
 * private-use scheme with a dot (RFC 8252, section 7.1).
 */
export const redirectUriProblem = (uri: string, isNative: boolean): string | undefined => {
  const url = /[\s*]/.test(uri) ? null : URL.parse(uri)
  if (url === null) return 'an absolute URI, without wildcards'
  if (uri.includes('#')) return 'an absolute URI without "#"'
  if (url.username || url.password) return 'an absolute URI without user name or password'
  if (url.protocol === 'https:') return undefined
  if (url.protocol === 'http:')
    return loopbackHosts.includes(url.hostname) ? undefined : `https, or http on ${listNames(loopbackHosts)}`
  if (isNative && url.protocol.includes('.')) return undefined
  return isNative
    ? 'https, http on a loopback address, or a private-use scheme with a dot such as org.example.app:/callback'
    : 'https, or http on a loopback address (only a native application may use a custom scheme)'
}

/** Returns undefined for a URL that a token may be for (RFC 8707, section 2), and a description of the allowed form for any other text. */
export const audienceProblem = (audience: string): string | undefined => {
  const url = /[\s#?]/.test(audience) ? null : URL.parse(audience)
  return url && /^https?:$/.test(url.protocol) && !url.username && !url.password
    ? undefined
    : 'the URL of the query service, or of an API below it, without query and fragment'
}

/** Returns undefined for an origin in the form that browsers send, and a description of the allowed form for any other text. */
export const clientOriginProblem = (origin: string): string | undefined => {
  const url = URL.parse(origin)
  if (url === null || !/^https?:$/.test(url.protocol)) return 'an origin such as https://example.org'
  // A browser never sends one, so it would allow nothing.
  if (url.hostname.includes('*')) return 'an origin without wildcards, such as https://example.org'
  return url.origin === origin ? undefined : `only the origin: ${url.origin}`
}
