/** Cookies of the pages; session cookies belong to the library. */
import type { IncomingMessage, ServerResponse } from 'node:http'

export interface Cookies {
  read(request: IncomingMessage, name: string): string | undefined
  /** Without `maxAgeSeconds`: until the browser is closed. */
  set(response: ServerResponse, name: string, value: string, maxAgeSeconds?: number): void
}

/**
 * `HttpOnly` and `SameSite=Lax`; on https `Secure` and bound to this host by name, so that sibling domains
 * cannot set them (RFC 6265bis, section 4.1.3.2). Values consist of `A-Z a-z 0-9 . ~ - _`.
 */
export const openCookies = (authUrl: string): Cookies => {
  const secure = new URL(authUrl).protocol === 'https:'
  const makeCookieName = (name: string) => `${secure ? '__Host-' : ''}querent_${name}`
  return {
    read(request, name) {
      const prefix = `${makeCookieName(name)}=`
      const pairs = request.headers.cookie?.split(';') ?? []
      return pairs
        .map(pair => pair.trim())
        .find(pair => pair.startsWith(prefix))
        ?.slice(prefix.length)
    },
    set(response, name, value, maxAgeSeconds) {
      const attributes = ['Path=/', 'HttpOnly', 'SameSite=Lax']
      if (secure) attributes.push('Secure')
      if (maxAgeSeconds !== undefined) attributes.push(`Max-Age=${maxAgeSeconds}`)
      response.appendHeader('set-cookie', [`${makeCookieName(name)}=${value}`, ...attributes].join('; '))
    },
  }
}
