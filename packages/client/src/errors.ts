import type { ErrorPlace } from './replies.ts'

/**
 * Every error that this library throws, apart from the reason of an aborted signal and errors of your own callbacks. `name` tells them apart.
 */
export type QuerentError = ApiError | UnreachableError | UnexpectedReplyError | SignInRequiredError

/** True for the errors of this library. Then `switch (error.name)` has a type for each case. */
export const isQuerentError = (error: unknown): error is QuerentError =>
  error instanceof ApiError ||
  error instanceof UnreachableError ||
  error instanceof UnexpectedReplyError ||
  error instanceof SignInRequiredError

/** Stable codes of the query service and the management API. errors.test.ts compares them with the contract. */
export type ErrorCode =
  | 'bad-request'
  | 'bad-path'
  | 'bad-option'
  | 'bad-parameter'
  | 'unknown-endpoint'
  | 'token-in-url'
  | 'bad-workspace-file'
  | 'bad-documents'
  | 'reply-too-large'
  | 'not-built-yet'
  | 'not-supported-by-engine'
  | 'no-token'
  | 'invalid-token'
  | 'insufficient-user-authentication'
  | 'sign-in-too-old'
  | 'insufficient-scope'
  | 'api-not-allowed'
  | 'collection-not-allowed'
  | 'membership-ended'
  | 'origin-not-allowed'
  | 'no-such-path'
  | 'no-such-version'
  | 'no-such-api'
  | 'no-such-configuration'
  | 'no-such-resource'
  | 'method-not-allowed'
  | 'request-timeout'
  | 'conflict'
  | 'leak-test-failed'
  | 'precondition-failed'
  | 'body-too-large'
  | 'url-too-long'
  | 'unsupported-media-type'
  | 'expectation-failed'
  | 'headers-too-large'
  | 'too-many-requests'
  | 'fault'
  | 'unavailable'
  | 'documents-lost'
  | 'overloaded'
  | 'timeout'

/**
 * A service answered with an error. `code` is stable: an {@link ErrorCode}, an OAuth error of the authorization server such as
 * `invalid_client`, or `unknown` if another program answered.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  /** The other texts are OAuth errors. Written so that editors complete the codes. */
  readonly code: ErrorCode | (string & Record<never, never>)
  readonly requestId: string | undefined
  /** Wrong places in the request, such as lines of a workspace file or of documents. */
  readonly errors: ErrorPlace[]
  /** The places of all documents that an import without any accepted one rejected, if there are more than `errors` has. */
  readonly rejectedAt: number[][] | undefined
  /** When the server allows the next attempt (`Retry-After`). */
  readonly retryAfterSeconds: number | undefined

  constructor(
    status: number,
    reply: {
      message: string
      code: string
      requestId?: string | undefined
      errors?: ErrorPlace[]
      rejectedAt?: number[][] | undefined
      retryAfterSeconds?: number | undefined
    },
  ) {
    super(reply.message)
    this.status = status
    this.code = reply.code
    this.requestId = reply.requestId
    this.errors = reply.errors ?? []
    this.rejectedAt = reply.rejectedAt
    this.retryAfterSeconds = reply.retryAfterSeconds
  }
}

/** Nothing answered at an address, or the connection broke. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError'
  /** Origin of the address. */
  readonly origin: string
  /** Code of the innermost cause, such as `ECONNREFUSED`, or its message if it has no code. */
  readonly reason: string

  constructor(address: string, cause: unknown) {
    const { origin } = new URL(address)
    const reason = describeCause(cause)
    const outcome = isBrokenConnection(reason)
      ? 'closed the connection'
      : `does not answer${describePage(origin)}`
    super(`${origin} ${outcome} (${reason})`, { cause })
    this.origin = origin
    this.reason = reason
  }
}

/** A browser does not tell a page of another origin whether the server forbids its requests (CORS). */
const describePage = (origin: string): string => {
  // Types of Node have no page.
  const { location } = globalThis as { location?: { origin?: string } }
  return location?.origin === undefined || location.origin === origin
    ? ''
    : `, or does not allow pages of ${location.origin}`
}

/** Whether the server accepted the connection and ended it later. */
const isBrokenConnection = (reason: string): boolean =>
  reason === 'UND_ERR_SOCKET' || reason === 'ECONNRESET' || reason === 'EPIPE'

/** Another program than Querent answered at an address. */
export class UnexpectedReplyError extends Error {
  override readonly name = 'UnexpectedReplyError'

  /** `expected` names the service that should answer, such as `a query service`. */
  constructor(address: string, expected: string, cause?: unknown) {
    super(
      `the reply of ${new URL(address).origin} is not one of ${expected}: another program answers there`,
      {
        cause,
      },
    )
  }
}

/** Nobody is signed in, or the sign-in has ended: send the person to sign in again. */
export class SignInRequiredError extends Error {
  override readonly name = 'SignInRequiredError'

  constructor(reason: string, cause?: unknown) {
    super(`${reason}: sign in again`, { cause })
  }
}

/** Returns the innermost cause, because fetch itself only says "fetch failed". */
const describeCause = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause)
  if (cause.cause !== undefined) return describeCause(cause.cause)
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined
  return code ?? cause.message
}

/**
 * Converts a reply with a status of 400 or higher to an error. Reads the contract's `ErrorReply` and the OAuth errors of RFC 6749, section 5.2
 * (https://www.rfc-editor.org/rfc/rfc6749#section-5.2). The reply of another program, such as a proxy, gets the code `unknown`. Its message
 * names the origin if `address` is given.
 */
export const parseErrorReply = (
  status: number,
  body: string,
  address?: string,
  headers?: Headers,
): ApiError => {
  const reply = parseObject(body)
  const text = (name: string): string | undefined => {
    const value = reply[name]
    return typeof value === 'string' ? value : undefined
  }
  return new ApiError(status, {
    message:
      text('message') ??
      text('error_description') ??
      text('error') ??
      `${address === undefined ? 'the server' : new URL(address).origin} answered ${status}`,
    code: text('code') ?? text('error') ?? 'unknown',
    requestId: text('requestId'),
    errors: readPlaces(reply.errors),
    rejectedAt: readRanges(reply.rejectedAt),
    retryAfterSeconds: readRetryAfter(headers?.get('retry-after')),
  })
}

/** Reads seconds or a date (RFC 9110, section 10.2.3). */
const readRetryAfter = (value: string | null | undefined): number | undefined => {
  if (!value) return undefined
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}

const readPlaces = (value: unknown): ErrorPlace[] =>
  Array.isArray(value) ? value.flatMap((place: unknown) => (isPlace(place) ? [place] : [])) : []

const readRanges = (value: unknown): number[][] | undefined =>
  Array.isArray(value) && value.every(isRange) ? value : undefined

const isRange = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every(place => typeof place === 'number')

const isPlace = (value: unknown): value is ErrorPlace =>
  typeof value === 'object' && value !== null && 'message' in value && typeof value.message === 'string'

/** Parses a JSON object. Returns an empty object for anything else, such as a proxy's error page. */
const parseObject = (json: string): Record<string, unknown> => {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}
