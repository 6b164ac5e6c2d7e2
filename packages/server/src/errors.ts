/** Errors of the server, and the only place that turns an error into a reply. docs/errors.md lists the codes. */
import { type ErrorCode, type ErrorPlace, type ErrorReply, errorStatus } from '@querent/contract/errors'
import type { FastifyBaseLogger, FastifyError, FastifyReply, FastifyRequest } from 'fastify'

/**
 * An error with a message for the caller, which names the problem, its place and the allowed values. `cause` goes to the log only,
 * `headers` to the reply.
 */
export class Problem extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly errors: readonly ErrorPlace[] | undefined
  constructor(
    code: ErrorCode,
    message: string,
    options: { cause?: unknown; headers?: Record<string, string>; errors?: readonly ErrorPlace[] } = {},
  ) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    this.name = 'Problem'
    this.code = code
    this.status = errorStatus[code]
    this.headers = options.headers ?? (this.status === 503 ? { 'retry-after': '1' } : {})
    this.errors = options.errors
  }
}

/** Returns the body of an error reply. */
export const errorReply = (problem: Problem, requestId: string): ErrorReply => ({
  message: problem.message,
  status: problem.status,
  code: problem.code,
  requestId,
  ...(problem.errors ? { errors: [...problem.errors] } : {}),
})

const frameworkCodes: Readonly<Record<number, ErrorCode>> = {
  404: 'no-such-path',
  405: 'method-not-allowed',
  408: 'request-timeout',
  413: 'body-too-large',
  414: 'url-too-long',
  415: 'unsupported-media-type',
  429: 'too-many-requests',
}

/** Returns a Problem unchanged, and turns any other error into a `fault`. */
export const problemOrFault = (error: unknown): Problem =>
  error instanceof Problem
    ? error
    : new Problem('fault', 'internal error; the log of the server has details under this requestId', {
        cause: error,
      })

/** Turns errors of the framework (bad body, wrong media type, failed schema) into those of the contract, and others into a `fault`. */
export const translateFrameworkError = (error: FastifyError | Problem): Problem => {
  if (error instanceof Problem) return error
  if (error.validation) {
    const places = error.validation.map(({ instancePath, message, params }) => ({
      path: `${error.validationContext ?? 'body'}${instancePath.replaceAll('/', '.')}`,
      message: `${message ?? 'is not allowed'}${params.additionalProperty ? ` ("${String(params.additionalProperty)}" is not known)` : ''}`,
    }))
    const first = places[0]
    return new Problem('bad-parameter', first ? `${first.path} ${first.message}` : error.message, {
      errors: places,
    })
  }
  if (error.code === 'FST_ERR_BAD_URL')
    return new Problem('bad-path', 'malformed percent-encoding in the path: write each byte of UTF-8 as %XX')
  const status = error.statusCode ?? 500
  const code = frameworkCodes[status] ?? (status >= 400 && status < 500 ? 'bad-request' : 'fault')
  return code === 'fault' ? problemOrFault(error) : new Problem(code, error.message)
}

/** Headers to remove from a reply in another format (compressed, NDJSON) that becomes an error. */
export const representationHeaders = ['content-encoding', 'content-length', 'etag', 'cache-control'] as const

/** Returns headers and body of the reply to a problem. */
export const problemReply = (
  problem: Problem,
  requestId: string,
): { headers: Readonly<Record<string, string>>; body: string } => ({
  headers: {
    ...problem.headers,
    'cache-control': 'no-store',
    'content-type': 'application/json; charset=utf-8',
  },
  body: JSON.stringify(errorReply(problem, requestId)),
})

/**
 * Logs server errors. A fault gets its cause and stack. A 503 gets one line without a stack, because every request causes one while a part
 * is unreachable. If the client has disconnected (`isGone`), a fault is logged at level debug.
 */
export const logProblem = (log: FastifyBaseLogger, problem: Problem, isGone: boolean): void => {
  if (problem.status < 500) return
  const { code, cause } = problem
  if (problem.status === 503)
    log.warn({ code, ...(cause instanceof Error ? { reason: cause.message } : {}) }, problem.message)
  else log[isGone ? 'debug' : 'error']({ err: cause ?? problem, code }, problem.message)
}

/** Sends the reply of Fastify's error handlers. For a fault the caller sees only the request id. */
export const answerProblem = (problem: Problem, request: FastifyRequest, reply: FastifyReply): void => {
  logProblem(request.log, problem, reply.raw.destroyed)
  if (reply.raw.headersSent) {
    reply.raw.destroy()
    return
  }
  for (const name of representationHeaders) reply.removeHeader(name)
  const { headers, body } = problemReply(problem, request.id)
  reply.code(problem.status).headers(headers).send(body)
}
