/** Checks before the library sees a request: path, method, origin, and credentials in the URL. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Origins } from '#http/origins'
import { logoutAliases, routes } from '#oauth/library/routes'
import type { Refusal } from '#oauth/library/send-json'

export interface EndpointRules {
  methods: readonly string[]
  /** Origins whose pages may call it: any, those of registered applications, or none. */
  origins: 'any' | 'registered' | 'none'
  /** Accepts a cross-site form, which is answered with a redirect to GET (forms.ts). */
  form?: 'to-get'
}

const metadata: EndpointRules = { methods: ['GET', 'HEAD'], origins: 'any' }
const signIn: EndpointRules = { methods: ['GET', 'HEAD', 'POST'], origins: 'none', form: 'to-get' }
const page: EndpointRules = { methods: ['GET', 'HEAD'], origins: 'none' }

const endpoints: ReadonlyMap<string, EndpointRules> = new Map([
  [routes.token, { methods: ['POST'], origins: 'registered' }],
  [routes.revocation, { methods: ['POST'], origins: 'registered' }],
  [routes.introspection, { methods: ['POST'], origins: 'none' }],
  [routes.userinfo, { methods: ['GET', 'HEAD', 'POST'], origins: 'registered' }],
  [routes.jwks, metadata],
  ['/.well-known/openid-configuration', metadata],
  ['/.well-known/oauth-authorization-server', metadata],
  [routes.authorization, signIn],
  [routes.end_session, signIn],
  [`${routes.end_session}/confirm`, { methods: ['POST'], origins: 'none' }],
  [`${routes.end_session}/success`, page],
  [routes.pushed_authorization_request, { methods: ['POST'], origins: 'registered' }],
  [routes.device_authorization, { methods: ['POST'], origins: 'registered' }],
  [routes.code_verification, { methods: ['GET', 'HEAD', 'POST'], origins: 'none' }],
  [routes.registration, { methods: ['POST'], origins: 'any' }],
  ...[...logoutAliases.keys()].map(path => [path, signIn] as const),
])
/** Path on which a sign-in resumes. */
const resumePath = /^\/(?:authorize|activate)\/[^/]+$/
export const isResumePath = (pathname: string): boolean => resumePath.test(pathname)

/** Returns the rules of a path; a trailing slash is ignored. */
export const findEndpoint = (pathname: string): EndpointRules | undefined =>
  endpoints.get(pathname.length > 1 && pathname.endsWith('/') ? pathname.slice(0, -1) : pathname) ??
  (resumePath.test(pathname) ? page : undefined)

/** Splits path and query, also of an absolute-form request target (RFC 9112, section 3.2.2). */
export const splitTarget = (url: string): { pathname: string; search: string } => {
  const target = url.replace(/^https?:\/\/[^/?]*/i, '')
  const queryStart = target.indexOf('?')
  return queryStart < 0
    ? { pathname: target || '/', search: '' }
    : { pathname: target.slice(0, queryStart) || '/', search: target.slice(queryStart) }
}

/** Limit of the library. */
export const bodyBytesMax = 56 * 1024
/**
 * Credentials must not be in a URL, which ends up in proxy logs and browser histories (RFC 6749, section
 * 2.3.1; RFC 9700, section 4.3.2).
 */
const credentials = [
  'client_secret',
  'client_assertion',
  'code',
  'code_verifier',
  'refresh_token',
  'token',
  'password',
]

/** Whether the body has a content coding, such as gzip. */
export const isEncoded = ({ headers }: IncomingMessage): boolean =>
  !['', 'identity'].includes(headers['content-encoding']?.trim().toLowerCase() ?? '')

/** RFC 9110, section 15.5.16. The body is not read. */
export const encodedBodyRefusal = {
  status: 415,
  headers: { 'accept-encoding': 'identity', connection: 'close' },
  error: 'invalid_request',
  description: 'the body has a Content-Encoding: send it without one',
} satisfies Refusal

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** Returns why a request is rejected before its body is read; undefined if it is not. */
export const findRefusal = (
  request: IncomingMessage,
  pathname: string,
  search: string,
): Refusal | undefined => {
  const endpoint = findEndpoint(pathname)
  if (!endpoint) return undefined
  const method = request.method ?? 'GET'
  if (!endpoint.methods.includes(method)) {
    const allowed = endpoint.methods.join(', ')
    return {
      status: 405,
      headers: { allow: `${allowed}, OPTIONS` },
      error: 'invalid_request',
      description: `${pathname} takes ${allowed}, not ${method}`,
    }
  }
  if (method !== 'POST') return undefined
  if (
    endpoint.origins !== 'any' &&
    !endpoint.form &&
    hasBody(request) &&
    request.headers['content-type'] === undefined
  )
    return {
      status: 400,
      error: 'invalid_request',
      description: 'the header Content-Type is missing: send the form as application/x-www-form-urlencoded',
    }
  if (isEncoded(request)) return encodedBodyRefusal
  const parameters = new URLSearchParams(search)
  const exposedCredential = credentials.find(name => parameters.has(name))
  if (exposedCredential !== undefined)
    return {
      status: 400,
      error: 'invalid_request',
      description: `${exposedCredential} must not be in the URL: send it in the form body, and replace it, because URLs end up in logs`,
    }
  if (Number(request.headers['content-length'] ?? 0) > bodyBytesMax)
    return {
      status: 413,
      // The rest of the body is not read.
      headers: { connection: 'close' },
      error: 'invalid_request',
      description: `the form body is longer than ${bodyBytesMax} bytes`,
    }
  return undefined
}

/** Whether a GET of this path has an effect, such as a code or the end of a session. HEAD must have none (RFC 9110, section 9.2.1). */
export const hasEffect = (pathname: string): boolean =>
  findEndpoint(pathname)?.form !== undefined || isResumePath(pathname)

/** Answers HEAD without running the request. */
export const answerHead = (response: ServerResponse): void => {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' }).end()
}

const preflightSeconds = 3600
/** Response headers that pages of other origins may read. */
export const exposedHeaders = 'WWW-Authenticate, X-Request-Id, Retry-After'

/**
 * Sets the CORS headers. The library sets none if one exists, so the exposed headers are always set. No CORS
 * at `/authorize` (RFC 9700, section 2.1).
 */
export const setCors = async (
  request: IncomingMessage,
  response: ServerResponse,
  endpoint: EndpointRules,
  origins: Origins,
): Promise<void> => {
  const { origin } = request.headers
  response.setHeader('vary', 'Origin')
  response.setHeader('access-control-expose-headers', exposedHeaders)
  if (endpoint.origins === 'any') response.setHeader('access-control-allow-origin', '*')
  else if (endpoint.origins === 'registered' && origin !== undefined && (await origins.isRegistered(origin)))
    response.setHeader('access-control-allow-origin', origin)
}

/** Answers OPTIONS. A preflight allows all requested headers, because SDKs send their own. */
export const answerOptions = (
  request: IncomingMessage,
  response: ServerResponse,
  endpoint: EndpointRules,
): void => {
  const requestedHeaders = request.headers['access-control-request-headers']
  if (response.hasHeader('access-control-allow-origin')) {
    response.setHeader('access-control-allow-methods', endpoint.methods.join(', '))
    if (requestedHeaders !== undefined) response.setHeader('access-control-allow-headers', requestedHeaders)
    response.setHeader('access-control-max-age', preflightSeconds)
  }
  response.setHeader('vary', 'Origin, Access-Control-Request-Headers')
  response.writeHead(204, { allow: `${endpoint.methods.join(', ')}, OPTIONS` }).end()
}
