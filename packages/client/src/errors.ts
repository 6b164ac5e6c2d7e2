import type { ErrorPlace } from '@querent/contract/errors'

/** A service answered with an error. `code` is stable: one of `errorStatus` in the contract, or an OAuth error of the token endpoint. */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly status: number
  readonly code: string
  readonly requestId: string | undefined
  /** Wrong places in the request, such as lines of a workspace file or of documents. */
  readonly errors: ErrorPlace[]

  constructor(
    status: number,
    reply: { message: string; code: string; requestId?: string | undefined; errors?: ErrorPlace[] },
  ) {
    super(reply.message)
    this.status = status
    this.code = reply.code
    this.requestId = reply.requestId
    this.errors = reply.errors ?? []
  }
}

/** Nothing answered at an address, or the connection broke. */
export class UnreachableError extends Error {
  override name = 'UnreachableError'
  /** Origin of the address. */
  readonly origin: string
  /** Code of the innermost cause, such as `ECONNREFUSED`, or its message if it has no code. */
  readonly reason: string

  constructor(address: string, cause: unknown) {
    const { origin } = new URL(address)
    const reason = describeCause(cause)
    super(`${origin} does not answer (${reason})`, { cause })
    this.origin = origin
    this.reason = reason
  }
}

/** Another program than Querent answered at an address. */
export class UnexpectedReplyError extends Error {
  override name = 'UnexpectedReplyError'

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
export const parseErrorReply = (status: number, body: string, address?: string): ApiError => {
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
  })
}

const readPlaces = (value: unknown): ErrorPlace[] =>
  Array.isArray(value) ? value.flatMap((place: unknown) => (isPlace(place) ? [place] : [])) : []

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
