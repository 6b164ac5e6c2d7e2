/** Which redirect URIs may be registered; also checked as they are typed, in the console. */
import { listNames } from './nearest-names.ts'

const loopbackHosts: readonly string[] = ['127.0.0.1', '[::1]', 'localhost']

/**
 * What a redirect URI has to be instead, or undefined when it may be registered: absolute, no fragment (RFC 6749, section 3.1.2), no
 * user name; https, or http on a loopback address, or for native applications a private-use scheme with a dot in it (RFC 8252, section 7.1).
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
    : 'https, or http on a loopback address (only a native application may use a scheme of its own)'
}
