/** Issuer and e-mail domains of a workspace's own OpenID provider. The console runs the same checks while you type. */
import { loopbackHosts } from './client-uris.ts'
import { canonicalDomain } from './email-address.ts'

/** Issuer identifier (OpenID Connect Discovery, section 3). Plain http only for a provider on this machine. */
export const isIssuer = (text: string): boolean => {
  const url = URL.parse(text)
  if (!url || /[?#\s]/.test(text) || url.username !== '' || url.password !== '') return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && loopbackHosts.includes(url.hostname))
}

/** A domain with a dot, in any spelling. */
export const isDomain = (text: string): boolean => canonicalDomain(text)?.includes('.') ?? false
