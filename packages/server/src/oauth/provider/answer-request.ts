/** Answers a request to an endpoint, a page or an unknown path: checks it, redirects its form, and passes it on. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { errors } from 'oidc-provider'
import { withoutSlash } from '#authz/audience'
import { errorReply, Problem } from '#errors'
import type { Origins } from '#http/origins'
import type { Keyring } from '#keys/keyring'
import type { FormTokens } from '#oauth/interactions/forgery'
import type { RepeatedForms } from '#oauth/interactions/repeated-forms'
import type { Interactions } from '#oauth/library/interaction-types'
import { routes } from '#oauth/library/routes'
import { sendJson, sendRefusal } from '#oauth/library/send-json'
import { isFromBrowser } from '#oauth/pages/page'
import {
  answerHead,
  answerOptions,
  type EndpointRules,
  encodedBodyRefusal,
  findEndpoint,
  findRefusal,
  hasEffect,
  isEncoded,
  isResumePath,
  setCors,
  splitTarget,
} from '#oauth/requests/endpoint-routing'
import { resolveLogoutAlias, type StoredForms } from '#oauth/requests/forms'
import type { StartedSignIns } from '#oauth/requests/started-sign-ins'
import { dropInvalidHints } from '#oauth/sessions/logout'
import { setAttributes } from '#telemetry/request-attributes'
import type { Endpoints } from './endpoints.ts'
import { sendErrorPage, sendLandingPage } from './page-replies.ts'

interface Dependencies {
  authUrl: string
  baseUrl: string
  origins: Origins
  keyring: Keyring
  startedSignIns: Pick<StartedSignIns, 'refuseTooMany'>
  forms: StoredForms
  formTokens: Pick<FormTokens, 'ensureKey'>
  repeatedForms: Pick<RepeatedForms, 'answer'>
  interactions: Interactions
  /** With the current keys. */
  endpoints: () => Endpoints
}

/** A request that is being answered. `pathname` is the library's, also for the alias of a logout path. */
interface Exchange {
  request: IncomingMessage
  response: ServerResponse
  requestId: string
  pathname: string
  search: string
}

/** Headers of the redirect after a form. */
const formRedirectHeaders = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }

export const createRequestAnswer = (deps: Dependencies) => {
  const { authUrl, baseUrl, origins, interactions, repeatedForms, endpoints } = deps
  const { host, protocol } = new URL(authUrl)

  /** Replies always contain the public address, whatever Host, proxy headers or request target say. */
  const applyPublicOrigin = (request: IncomingMessage, url: string) => {
    request.url = url
    request.headers.host = host
    request.headers['x-forwarded-proto'] = protocol.slice(0, -1)
    delete request.headers['x-forwarded-host']
  }

  const answerPage = ({ request, response, requestId, pathname, search }: Exchange) => {
    if (request.method === 'POST' && isEncoded(request)) return sendRefusal(response, encodedBodyRefusal)
    applyPublicOrigin(request, pathname + search)
    return interactions.handle(request, response, { requestId })
  }

  const answerUnknownPath = ({ request, response, requestId, pathname }: Exchange) => {
    response.setHeader('vary', 'Accept')
    if (isFromBrowser(request)) return sendLandingPage(request, response, { pathname, baseUrl, requestId })
    return sendJson(response, 404, errorReply(notFoundProblem(pathname), requestId))
  }

  return async (request: IncomingMessage, response: ServerResponse, requestId: string): Promise<void> => {
    // The body timed out.
    if (response.headersSent) return
    response.setHeader('x-request-id', requestId)
    response.setHeader('x-content-type-options', 'nosniff')
    const target = splitTarget(request.url ?? '/')
    const { pathname, search } = resolveLogoutAlias(target.pathname, target.search) ?? target
    const exchange = { request, response, requestId, pathname, search }
    if (interactions.owns(pathname)) return answerPage(exchange)
    const endpoint = findEndpoint(pathname)
    if (!endpoint) return answerUnknownPath(exchange)
    await setCors(request, response, endpoint, origins)
    if (answerEarly(exchange, endpoint)) return
    const query = endpoint.form ? await readForm(deps, exchange, target.pathname) : search
    if (query === undefined) return
    applyPublicOrigin(request, pathname + query)
    if (request.method === 'GET' && isResumePath(pathname))
      return repeatedForms.answer(request, response, { page: pathname, values: [search] }, target =>
        endpoints().answer(request, target),
      )
    // Nobody waits for a reply. For a closed connection, the library would print that the body was already
    // read.
    if (request.socket.destroyed) return
    await endpoints().answer(request, response)
  }
}

/** Answers requests that go no further: preflights, those that are rejected, and HEAD where GET has an effect. */
const answerEarly = ({ request, response, pathname, search }: Exchange, endpoint: EndpointRules): boolean => {
  const refusal = request.method === 'OPTIONS' ? undefined : findRefusal(request, pathname, search)
  if (request.method === 'OPTIONS') answerOptions(request, response, endpoint)
  else if (refusal) {
    setAttributes(response, { code: refusal.error })
    sendRefusal(response, refusal)
  } else if (request.method === 'HEAD' && hasEffect(pathname)) answerHead(response)
  else return false
  return true
}

/**
 * Returns the query of a GET, or of the form for which it stands. Undefined if it answered: a form is stored and redirected to a GET of
 * `formPath`.
 */
const readForm = async (
  { forms, startedSignIns, formTokens, keyring }: Dependencies,
  { request, response, requestId, pathname, search }: Exchange,
  formPath: string,
): Promise<string | undefined> => {
  const query = await withErrorPage(request, response, requestId, async () => {
    if (request.method !== 'POST') return forms.readQuery(search)
    startedSignIns.refuseTooMany(request)
    response.writeHead(303, { ...formRedirectHeaders, location: await forms.save(request, formPath) }).end()
    return undefined
  })
  if (query === undefined || withoutSlash(pathname) !== routes.end_session) return query
  // For its question, which is a form.
  formTokens.ensureKey(request, response)
  return dropInvalidHints(query, keyring)
}

/** Returns undefined if `work` answered, or an error page was sent. */
const withErrorPage = async <T>(
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
  work: () => Promise<T>,
): Promise<T | undefined> => {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof errors.OIDCProviderError) || !error.expose) throw error
    const { statusCode: status, error: code, error_description: description = '' } = error
    setAttributes(response, { code })
    sendErrorPage(request, response, { status, error: code, description, requestId })
    return undefined
  }
}

const notFoundProblem = (pathname: string): Problem =>
  new Problem('no-such-path', `unknown path on the authorization server: ${pathname.slice(0, 200)}`)
