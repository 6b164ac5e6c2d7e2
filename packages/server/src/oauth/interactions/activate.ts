/** `/activate`: protects the library's forms for user codes like our own: they must come from our page. */
import { failurePage } from '#oauth/pages/error-page'
import { answerOptions, findEndpoint, findRefusal } from '#oauth/provider/endpoint-routing'
import { isFromBrowser } from '#oauth/provider/page-replies'
import { sendRefusal } from '#oauth/provider/send-json'
import { isCrossSite } from './forgery.ts'
import type { Answer, PageDependencies, PageRequest } from './page-request.ts'

export const isActivatePath = (pathname: string): boolean => /^\/activate\/?$/.test(pathname)

/** The checks of endpoint-routing.ts come first. */
export const activate = async (
  { provider, authUrl }: PageDependencies,
  {
    request,
    response,
    requestId,
    pathname,
    query,
    reader,
  }: Pick<PageRequest, 'request' | 'response' | 'requestId' | 'pathname' | 'query' | 'reader'>,
): Promise<Answer> => {
  const endpoint = findEndpoint(pathname)
  const refusal = findRefusal(request, pathname, query.size > 0 ? `?${query}` : '')
  if (endpoint && request.method === 'OPTIONS') answerOptions(request, response, endpoint)
  else if (refusal && isFromBrowser(request)) {
    const page = failurePage('method', requestId, reader)
    return { page: { ...page, headers: { ...page.headers, ...refusal.headers } } }
  } else if (refusal) sendRefusal(response, refusal)
  else if (request.method === 'POST' && isCrossSite(request, authUrl))
    return { page: failurePage('forged', requestId, reader, { kind: 'again', href: '/activate' }) }
  else await provider().callback()(request, response)
  return 'answered'
}
