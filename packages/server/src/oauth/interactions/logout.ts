/** The library's form of logout, of which we ask what we ask of our own: that it comes from our own page. */
import { addressAt, answerOptions, refusalOf } from '#oauth/entrance'
import { failurePage } from '#oauth/pages/error-page'
import { sendRefusal } from '#oauth/replies'
import { comesFromElsewhere } from './forgery.ts'
import type { Answer, Deps, Visit } from './visit.ts'

type Asked = Pick<Visit, 'request' | 'response' | 'requestId' | 'pathname' | 'query' | 'reader'>

export const isLogoutForm = (pathname: string): boolean => /^\/logout\/confirm\/?$/.test(pathname)

/** `/logout/confirm`: what the entrance settles of the library's addresses, and then where the form comes from. */
export const logoutForm = async (
  { provider, authUrl }: Deps,
  { request, response, requestId, pathname, query, reader }: Asked,
): Promise<Answer> => {
  const address = addressAt(pathname)
  const refusal = refusalOf(request, pathname, query.size > 0 ? `?${query}` : '')
  if (address && request.method === 'OPTIONS') answerOptions(request, response, address)
  else if (refusal) sendRefusal(response, refusal)
  else if (comesFromElsewhere(request, authUrl)) return { page: failurePage('forged', requestId, reader) }
  else await provider().callback()(request, response)
  return 'answered'
}
