/** Redirect URIs and origins that an application may register. The console runs the same checks while you type. */
import type { Requirement } from './fault-texts.ts'
import { listNames } from './nearest-names.ts'

/** Names of this machine, as in `URL.hostname`. */
export const loopbackHosts: readonly string[] = ['127.0.0.1', '[::1]', 'localhost']

/**
 * Returns undefined for a redirect URI that may be registered, and the allowed form for any other. It must be absolute,
 * without fragment (RFC 6749, section 3.1.2) and user name. It uses https, or http on a loopback address, or in native applications a
 * private-use scheme with a dot (RFC 8252, section 7.1).
 */
export const redirectUriProblem = (uri: string, isNative: boolean): Requirement | undefined => {
  const url = /[\s*]/.test(uri) ? null : URL.parse(uri)
  if (url === null) return { code: 'absolute-uri' }
  if (uri.includes('#')) return { code: 'uri-without-fragment' }
  if (url.username || url.password) return { code: 'uri-without-user' }
  if (url.protocol === 'https:') return undefined
  if (url.protocol === 'http:')
    return loopbackHosts.includes(url.hostname)
      ? undefined
      : { code: 'loopback-http', values: { hosts: listNames(loopbackHosts) } }
  if (isNative && url.protocol.includes('.')) return undefined
  return { code: isNative ? 'native-uri-scheme' : 'web-uri-scheme' }
}

/** Returns undefined for a URL that a token may be for (RFC 8707, section 2), and the allowed form for any other text. */
export const audienceProblem = (audience: string): Requirement | undefined => {
  const url = /[\s#?]/.test(audience) ? null : URL.parse(audience)
  return url && /^https?:$/.test(url.protocol) && !url.username && !url.password
    ? undefined
    : { code: 'audience' }
}

/** Returns undefined for an origin in the form that browsers send, and the allowed form for any other text. */
export const clientOriginProblem = (origin: string): Requirement | undefined => {
  const url = URL.parse(origin)
  if (url === null || !/^https?:$/.test(url.protocol)) return { code: 'origin' }
  // A browser never sends one, so it would allow nothing.
  if (url.hostname.includes('*')) return { code: 'origin-without-wildcard' }
  return url.origin === origin ? undefined : { code: 'bare-origin', values: { origin: url.origin } }
}
