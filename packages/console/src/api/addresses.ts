/** Where the servers are, and what else the page says: the authorization server, which serves the console, writes it there. */
const readMeta = (name: string): string =>
  document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? ''

export const authUrl = location.origin
export const baseUrl = readMeta('querent-base-url')
/** For style elements (Content-Security-Policy). */
export const nonce = readMeta('querent-nonce')

/** Of the management API (authorization-server.md, Addresses). */
export const managementAudience = `${authUrl}/manage/`
/** Of the query service and its documents addresses. */
export const queryAudience = `${baseUrl}/`
