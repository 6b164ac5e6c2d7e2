/**
 * Protects the library's logout form like our own: it must come from our page. Also shows the final page in
 * the language of the form, which a cookie carries.
 */

import { sendRefusal } from '#oauth/library/send-json'
import { failurePage } from '#oauth/pages/error-page'
import { chooseLocale } from '#oauth/pages/language'
import { loggedOutPage } from '#oauth/pages/logout-pages'
import { isFromBrowser } from '#oauth/pages/page'
import { answerOptions, findEndpoint, findRefusal } from '#oauth/requests/endpoint-routing'
import { isCrossSite } from './forgery.ts'
import type { Answer, PageDependencies, PageRequest } from './page-request.ts'

type LogoutRequest = Pick<PageRequest, 'request' | 'response' | 'requestId' | 'pathname' | 'query' | 'reader'>

const cookieName = 'logout_language'
const cookieSeconds = 60

export const isLogoutPath = (pathname: string): boolean => /^\/logout\/(confirm|success)\/?$/.test(pathname)

/** `/logout/confirm` and `/logout/success`. The checks of endpoint-routing.ts come first. */
export const logout = async (deps: PageDependencies, input: LogoutRequest): Promise<Answer> => {
  const { request, response, requestId, pathname, query, reader } = input
  const endpoint = findEndpoint(pathname)
  const refusal = findRefusal(request, pathname, query.size > 0 ? `?${query}` : '')
  if (endpoint && request.method === 'OPTIONS') answerOptions(request, response, endpoint)
  else if (refusal && isFromBrowser(request)) {
    const page = failurePage('method', requestId, reader, { kind: 'logout' })
    return { page: { ...page, headers: { ...page.headers, ...refusal.headers } } }
  } else if (refusal) sendRefusal(response, refusal)
  else return request.method === 'POST' ? confirm(deps, input) : success(deps, input)
  return 'answered'
}

const confirm = async (
  { provider, authUrl, cookies }: PageDependencies,
  { request, response, requestId, query, reader }: LogoutRequest,
): Promise<Answer> => {
  if (isCrossSite(request, authUrl))
    return { page: failurePage('forged', requestId, reader, { kind: 'logout' }) }
  if (query.has('ui_locales')) cookies.set(response, cookieName, chooseLocale(reader).language, cookieSeconds)
  await provider().callback()(request, response)
  return 'answered'
}

const success = async (
  { cookies, directory }: PageDependencies,
  { request, query, reader }: LogoutRequest,
): Promise<Answer> => {
  const uiLocales = reader.uiLocales ?? cookies.read(request, cookieName)
  const client = await directory.client(query.get('client_id') ?? '')
  return { page: loggedOutPage({ application: client?.name }, { ...reader, uiLocales }) }
}
