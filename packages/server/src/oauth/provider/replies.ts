/** Rewrites and logs the library's error replies. */
import type { EventEmitter } from 'node:events'
import { errors, type KoaContextWithOIDC } from 'oidc-provider'
import { toErrorReply } from '#oauth/library/error-descriptions'
import type { Log } from '#oauth/library/log'
import { setAttributes } from '#telemetry/request-attributes'
import { isForPeople, pages } from './page-replies.ts'

/** Events that end a request with an error, emitted after the reply is set and before it is sent. */
const errorEvents = [
  'grant.error',
  'revocation.error',
  'introspection.error',
  'pushed_authorization_request.error',
  'device_authorization.error',
  'userinfo.error',
  'jwks.error',
  'discovery.error',
  'server_error',
] as const

/** Rewrites and logs every error reply of the library. `provider` is the library's. */
export const reportErrors = (provider: EventEmitter, baseUrl: string, log: Log): void => {
  for (const event of errorEvents)
    provider.on(event, (ctx: KoaContextWithOIDC, error: unknown) => setError(ctx, error, baseUrl, log))
  // Errors outside of endpoints, such as a broken connection.
  provider.on('error', (error: unknown) => log.warn({ err: error }, 'the authorization server'))
}

/** Sets the reply to an error. Logs a fault with its cause; logs the reason of a rejection at debug level. */
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
  // The rest of a body that is too long is not read.
  if (status === 413) ctx.set('connection', 'close')
  ctx.set('cache-control', 'no-store')
  if (isForPeople(ctx)) pages.error(ctx, body)
  else ctx.body = body
}

/** An unreachable storage is not a fault: logs one line without a stack. */
export const logUnavailable = (log: Log, error: unknown, requestId: string): void => {
  const { message, cause }: { message?: unknown; cause?: unknown } = Object(error)
  const reason = cause instanceof Error ? { reason: cause.message } : {}
  log.warn({ requestId, code: 'unavailable', ...reason }, String(message))
}
