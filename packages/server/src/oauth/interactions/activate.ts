/** `/activate`: protects the library's forms for user codes like our own: they must come from our page. */
import type { IncomingMessage } from 'node:http'
import { readTypedCode } from '#accounts/typed-code'
import { sendRefusal } from '#oauth/library/send-json'
import { failurePage } from '#oauth/pages/error-page'
import { isFromBrowser } from '#oauth/pages/page'
import { withBody } from '#oauth/requests/buffered-request'
import { answerOptions, findEndpoint, findRefusal } from '#oauth/requests/endpoint-routing'
import { isCrossSite } from './forgery.ts'
import { isFormType, readBody } from './form-body.ts'
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
  else await provider().callback()(await withPlainCode(request), response)
  return 'answered'
}

/** The library drops letters and digits that are not ASCII, so full-width ones become ASCII first. */
const withPlainCode = async (request: IncomingMessage): Promise<IncomingMessage> => {
  if (request.method !== 'POST' || !isFormType(request)) return request
  const body = await readBody(request)
  const fields = new URLSearchParams(body.toString('utf8'))
  const [code = '', ...repeated] = fields.getAll('user_code')
  const plainCode = readTypedCode(code)
  // A code of ASCII stays as it is, because the page shows it again.
  if (repeated.length > 0 || plainCode === code.replaceAll(/[^A-Za-z0-9]/g, ''))
    return withBody(request, body)
  fields.set('user_code', plainCode)
  return withBody(request, Buffer.from(fields.toString()))
}
