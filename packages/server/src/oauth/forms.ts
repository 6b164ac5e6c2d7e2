/**
 * Authorization and logout requests that come as a form (OpenID Connect Core, section 3.1.2.1; RP-Initiated Logout, section 2), and
 * logout by other servers' addresses: each becomes a GET to the library's address.
 *
 * The form comes from another site, so the browser sends no cookie along that is `SameSite=Lax`; with the GET that it is sent on to, it
 * does. The library takes forms only with cookies of `SameSite=None`.
 */
import type { IncomingMessage } from 'node:http'
import { errors } from 'oidc-provider'
import { logoutAliases } from './logout.ts'

/** As for the token endpoint's bodies. */
const bodyBytesMax = 56 * 1024
/** What is served as a URL (query-service.md, Paths). */
const urlBytesMax = 16 * 1024

/** Where a form goes on by GET, its parameters in the URL. Throws `invalid_request` for a body that is no form, or too long. */
export const formAsGet = async (request: IncomingMessage, pathname: string): Promise<string> => {
  const type = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
  if (type !== 'application/x-www-form-urlencoded')
    throw new errors.InvalidRequest(
      'send the parameters in the query, or as a form (application/x-www-form-urlencoded)',
    )
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes > bodyBytesMax) break
    chunks.push(chunk)
  }
  const target = `${pathname}?${new URLSearchParams(Buffer.concat(chunks).toString('utf8'))}`
  if (bytes > bodyBytesMax || target.length > urlBytesMax)
    throw new errors.InvalidRequest('the form is too long')
  return target
}

/** The library's address of another server's address of logout, with its parameters renamed. */
export const ownLogoutAddress = (
  pathname: string,
  search: string,
): { pathname: string; search: string } | undefined => {
  const path = pathname.endsWith('/') ? pathname.slice(0, -1) : pathname
  const renamed = logoutAliases.get(path)
  if (!renamed) return undefined
  const query = new URLSearchParams()
  for (const [name, value] of new URLSearchParams(search)) query.append(renamed[name] ?? name, value)
  return { pathname: '/logout', search: query.size > 0 ? `?${query}` : '' }
}
