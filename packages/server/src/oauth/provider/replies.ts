/** Replies of the library: errors in our words, and the scope told. */
import type { EventEmitter } from 'node:events'
import { errors, type KoaContextWithOIDC } from 'oidc-provider'
import { setAttributes } from '#telemetry/request-attributes'
import { toErrorReply } from './error-descriptions.ts'
import type { Log } from './interaction-types.ts'
import { isForPeople, pages } from './page-replies.ts'

/** Errors by which an endpoint of the library ends a request; each comes with the reply set, before it is sent. */
const errorEvents = [
  'grant.error',
  'revocation.error',
  'introspection.error',
  'userinfo.error',
  'jwks.error',
  'discovery.error',
  'server_error',
] as const

/** Sets our words on every error reply of the library, and logs it. `provider` is the library's. */
export const reportErrors = (provider: EventEmitter, baseUrl: string, log: Log): void => {
  for (const event of errorEvents)
    provider.on(event, (ctx: KoaContextWithOIDC, error: unknown) => setError(ctx, error, baseUrl, log))
  // What happens outside an endpoint, such as a connection that ends in the middle.
  provider.on('error', (error: unknown) => log.warn({ err: error }, 'the authorization server'))
}

/** Makes the reply that of the error. A fault goes to the log with its cause; of a refusal, why it was one, for those who look closer. */
export const setError = (ctx: KoaContextWithOIDC, error: unknown, baseUrl: string, log: Log): void => {
  const requestId = ctx.response.get('x-request-id')
  const { status, headers, body } = toErrorReply(error, requestId, baseUrl)
  if (status === 503) logUnavailable(log, error, requestId)
  else if (status >= 500) log.error({ err: error, requestId }, 'a request to the authorization server failed')
  else {
    const detail = error instanceof errors.OIDCProviderError ? error.error_detail : undefined
    log.debug({ requestId, path: ctx.path, error: body.error, detail }, 'refused')
  }
  setAttributes(ctx.res, { code: body.error })
  ctx.status = status
  ctx.set(headers)
  // What is still on its way of too long a body is not read.
  if (status === 413) ctx.set('connection', 'close')
  ctx.set('cache-control', 'no-store')
  if (isForPeople(ctx)) pages.error(ctx, body)
  else ctx.body = body
}

/** Storage that is away is no fault: one line, without a stack. */
export const logUnavailable = (log: Log, error: unknown, requestId: string): void => {
  const { message, cause }: { message?: unknown; cause?: unknown } = Object(error)
  const reason = cause instanceof Error ? { reason: cause.message } : {}
  log.warn({ requestId, code: 'unavailable', ...reason }, String(message))
}

/** RFC 6749, section 3.3: a scope other than the one asked for must be told; what gives a scope says it in `reply`. */
export const addScope = (requestedScope: unknown, reply: object): object =>
  requestedScope === undefined ? reply : { scope: '', ...reply }
