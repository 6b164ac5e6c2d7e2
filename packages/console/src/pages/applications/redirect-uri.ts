import type { Application } from '@querent/contract/manage'

const isLoopback = ({ hostname }: URL): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname)

/**
 * What is wrong with a redirect URI, in words, or undefined. A first look while it is typed; the server decides. RFC 9700, section 2.1
 * and RFC 8252, sections 7 and 8.
 */
export const redirectUriFault = (uri: string, type: Application['type']): string | undefined => {
  if (!URL.canParse(uri)) return `${uri}: a whole address is needed, such as https://app.example.org/callback`
  const url = new URL(uri)
  if (url.hash !== '' || uri.endsWith('#')) return `${uri}: may not have a fragment (#…)`
  if (url.username !== '' || url.password !== '') return `${uri}: may not hold a user name or password`
  if (url.protocol === 'https:') return undefined
  if (url.protocol === 'http:')
    return isLoopback(url) ? undefined : `${uri}: http is for this machine only; use https`
  return type === 'native' && url.protocol.includes('.')
    ? undefined
    : `${uri}: must be https${type === 'native' ? ', or a scheme of the app in reverse domain order, such as org.example.app:/callback' : ''}`
}
