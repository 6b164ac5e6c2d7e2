/** Redirect URIs and origins that an application may register. The console runs the same checks while you type. */
import type { Requirement } from './fault-texts.ts'
import { listNames } from './nearest-names.ts'

/** Names of this machine, as in `URL.hostname`. */
export const loopbackHosts: readonly string[] = ['127.0.0.1', '[::1]', 'localhost']

/**
 * Schemes without a dot that common native applications register, editors above all. RFC 8252, section 8.4, would reject them, because
 * nobody owns such a scheme. Their codes are bound to a code challenge. Default of the setting `--native-schemes`.
 */
export const defaultNativeSchemes: readonly string[] = [
  'antigravity',
  'claude',
  'code-oss',
  'cursor',
  'kiro',
  'positron',
  'trae',
  'vscode',
  'vscode-insiders',
  'vscodium',
  'windsurf',
  'windsurf-next',
  'zed',
]

/** Schemes that run scripts, open files or belong to the browser or the network. No setting allows them. */
const forbiddenSchemes =
  /^(?:about|blob|chrome|chrome-extension|content|data|edge|file|filesystem|ftp|https?|intent|jar|javascript|livescript|mailto|moz-extension|resource|sms|tel|vbscript|view-source|wss?)$/

/** Whether the operator may allow it for native applications: a scheme in lower case (RFC 3986, section 3.1), without a colon. */
export const isNativeScheme = (scheme: string): boolean =>
  /^[a-z][a-z0-9+.-]*$/.test(scheme) && !forbiddenSchemes.test(scheme)

/** Schemes without a dot that native applications may use. `any`: leave the decision to the server. */
export type NativeSchemes = readonly string[] | 'any'

/** Whether it is absolute and has a scheme of an application: neither http nor https. */
export const hasPrivateScheme = (uri: string): boolean => {
  const url = URL.parse(uri)
  return url !== null && !/^https?:$/.test(url.protocol)
}

/**
 * Returns undefined for a redirect URI that may be registered, and the allowed form for any other. It must be absolute,
 * without fragment (RFC 6749, section 3.1.2) and user name. It uses https, or http on a loopback address, or in native applications a
 * private-use scheme with a dot (RFC 8252, section 7.1) or one of `nativeSchemes`.
 */
export const redirectUriProblem = (
  uri: string,
  { isNative, nativeSchemes }: { isNative: boolean; nativeSchemes: NativeSchemes },
): Requirement | undefined => {
  // A URL parser skips control characters, so the browser would go elsewhere than the text says.
  const url = /[\s*\p{Cc}]/u.test(uri) ? null : URL.parse(uri)
  if (url === null) return { code: 'absolute-uri' }
  if (uri.includes('#')) return { code: 'uri-without-fragment' }
  if (url.username || url.password) return { code: 'uri-without-user' }
  if (url.protocol === 'https:') return undefined
  if (url.protocol === 'http:')
    return loopbackHosts.includes(url.hostname)
      ? undefined
      : { code: 'loopback-http', values: { hosts: listNames(loopbackHosts) } }
  if (!isNative) return { code: 'web-uri-scheme' }
  const scheme = url.protocol.slice(0, -1)
  const isAllowed = scheme.includes('.') || nativeSchemes === 'any' || nativeSchemes.includes(scheme)
  if (isAllowed && isNativeScheme(scheme)) return undefined
  const names = nativeSchemes === 'any' ? defaultNativeSchemes : nativeSchemes
  return { code: 'native-uri-scheme', values: { schemes: names.length > 0 ? names.join(', ') : '–' } }
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
