/** Addresses of the servers, from meta elements that the authorization server writes into the page. */
const readMeta = (name: string): string =>
  document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? ''

export const authUrl = location.origin
export const baseUrl = readMeta('querent-base-url')
/** For style elements (Content-Security-Policy). */
export const nonce = readMeta('querent-nonce')

/** Audience of the management API (authorization-server.md, Addresses). */
export const managementAudience = `${authUrl}/manage/`
/** Audience of the query service and its documents addresses. */
export const queryAudience = `${baseUrl}/`
