/**
 * The library's form of logout, of which we ask what we ask of our own: that it comes from our own page; and the page where it ends, in
 * the language of the form: the library carries none there, so a cookie does.
 */
import { addressAt, answerOptions, refusalOf } from '#oauth/entrance'
import { isOfBrowser } from '#oauth/page-replies'
import { failurePage } from '#oauth/pages/error-page'
import { speechFor } from '#oauth/pages/language'
import { loggedOutPage } from '#oauth/pages/logout-pages'
import { sendRefusal } from '#oauth/send-json'
import { comesFromElsewhere } from './forgery.ts'
import type { Answer, Deps, Visit } from './visit.ts'

type Asked = Pick<Visit, 'request' | 'response' | 'requestId' | 'pathname' | 'query' | 'reader'>

const cookieName = 'logout_language'
const cookieSeconds = 60

export const isOfLogout = (pathname: string): boolean => /^\/logout\/(confirm|success)\/?$/.test(pathname)

/** `/logout/confirm` and `/logout/success`: what the entrance settles of the library's addresses comes first. */
export const logout = async (deps: Deps, asked: Asked): Promise<Answer> => {
  const { request, response, requestId, pathname, query, reader } = asked
  const address = addressAt(pathname)
  const refusal = refusalOf(request, pathname, query.size > 0 ? `?${query}` : '')
  if (address && request.method === 'OPTIONS') answerOptions(request, response, address)
  else if (refusal && isOfBrowser(request)) {
    const page = failurePage('method', requestId, reader, { to: 'logout' })
    return { page: { ...page, headers: { ...page.headers, ...refusal.headers } } }
  } else if (refusal) sendRefusal(response, refusal)
  else return request.method === 'POST' ? confirm(deps, asked) : success(deps, asked)
  return 'answered'
}

const confirm = async (
  { provider, authUrl, cookies }: Deps,
  { request, response, requestId, query, reader }: Asked,
): Promise<Answer> => {
  if (comesFromElsewhere(request, authUrl))
    return { page: failurePage('forged', requestId, reader, { to: 'logout' }) }
  if (query.has('ui_locales')) cookies.set(response, cookieName, speechFor(reader).language, cookieSeconds)
  await provider().callback()(request, response)
  return 'answered'
}

const success = async ({ cookies, directory }: Deps, { request, query, reader }: Asked): Promise<Answer> => {
  const uiLocales = reader.uiLocales ?? cookies.read(request, cookieName)
  const client = await directory.client(query.get('client_id') ?? '')
  return { page: loggedOutPage({ application: client?.name }, { ...reader, uiLocales }) }
}
