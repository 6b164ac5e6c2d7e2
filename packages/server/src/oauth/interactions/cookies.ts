/** Cookies of the pages themselves; those of the session are the library's. */
import type { IncomingMessage, ServerResponse } from 'node:http'

export interface Cookies {
  read(request: IncomingMessage, name: string): string | undefined
  /** `maxAgeSeconds` absent: until the browser is closed. */
  set(response: ServerResponse, name: string, value: string, maxAgeSeconds?: number): void
}

/**
 * `HttpOnly` and `SameSite=Lax`; on https `Secure` and, by their name, bound to this very host, so that a sibling domain can plant none
 * (RFC 6265bis, section 4.1.3.2). Values are of `A-Z a-z 0-9 . ~ - _` only.
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
