/** Finds the requests for pages that are one submission if the browser sends them again (repeated-forms.ts). */
import type { IncomingMessage } from 'node:http'
import { readStartedCookie } from '#oauth/identity-provider/started-sign-in'
import type { Cookies } from '#oauth/library/cookies'
import { withBody } from '#oauth/requests/buffered-request'
import { type FormTokens, isCrossSite, readFormKey } from './forgery.ts'
import { formBytesMax, isFormType, parseForm, readBody } from './form-body.ts'
import { isCallbackPath, readProviderResult } from './provider-sign-in.ts'
import type { SubmittedForm } from './repeated-forms.ts'

export interface Submission {
  /** The request with a body that can be read again. */
  request: IncomingMessage
  /** Undefined: a repetition is a request of its own. */
  form: SubmittedForm | undefined
}

/**
 * Reads a form of our own page or of the library's, or a redirect that works once. Everything else is answered
 * as it comes. Throws Problem for a form that is too long.
 */
export const readSubmission = async (
  { cookies, formTokens, authUrl }: { cookies: Cookies; formTokens: FormTokens; authUrl: string },
  request: IncomingMessage,
  { isOfLibrary }: { isOfLibrary: boolean },
): Promise<Submission> => {
  const { method, url = '/', headers } = request
  const single = { request, form: undefined }
  if (readFormKey(cookies, request) === undefined) return single
  const { pathname, search, searchParams } = new URL(url, authUrl)
  if (method === 'GET') {
    // The reply to either removes its cookie. A browser that still sends it has not seen the reply, as after a double click at the provider.
    const cookie = isCallbackPath(pathname)
      ? readStartedCookie(cookies, request, searchParams.get('state') ?? '')
      : readProviderResult(cookies, request)
    return cookie === undefined ? single : { request, form: { page: pathname, values: [search, cookie] } }
  }
  if (method !== 'POST' || isCrossSite(request, authUrl) || !isFormType(request)) return single
  if (Number(headers['content-length'] ?? 0) > formBytesMax) return single
  const body = await readBody(request)
  const text = body.toString('utf8')
  const copy = withBody(request, body)
  const isOurs = isOfLibrary || !formTokens.isForged(request, pathname, parseForm(text))
  return { request: copy, form: isOurs ? { page: pathname, values: [search, text] } : undefined }
}
