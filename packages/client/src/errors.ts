import type { ErrorPlace } from '@querent/contract/errors'

/** A service answered with an error. `code` is stable: one of `errorStatus` in the contract, or an OAuth error of the token endpoint. */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly status: number
  readonly code: string
  readonly requestId: string | undefined
  /** Places in what was sent that are wrong: of a workspace file, of documents. */
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
  /** Origin that was asked. */
  readonly origin: string
  /** Code of the innermost cause, such as `ECONNREFUSED`; its message if it has no code. */
  readonly reason: string

  constructor(address: string, cause: unknown) {
    const { origin } = new URL(address)
    const reason = reasonOf(cause)
    super(`${origin} does not answer (${reason})`, { cause })
    this.origin = origin
    this.reason = reason
  }
}

/** Something else than a service of Querent answered at an address. */
export class UnexpectedReplyError extends Error {
  override name = 'UnexpectedReplyError'

  /** `expected`: what answers there elsewhere, such as `a query service`. */
  constructor(address: string, expected: string, cause?: unknown) {
    super(
      `the reply of ${new URL(address).origin} is not one of ${expected}: another program answers there`,
      {
        cause,
      },
    )
  }
}

/** The innermost cause says what happened: fetch itself only says "fetch failed". */
const reasonOf = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause)
  if (cause.cause !== undefined) return reasonOf(cause.cause)
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined
  return code ?? cause.message
}

/**
 * The error that a reply with a status of 400 and up stands for. Reads both shapes: that of the contract's `ErrorReply`, and
 * that of RFC 6749, section 5.2 (https://www.rfc-editor.org/rfc/rfc6749#section-5.2). A reply of another program, such as a proxy, has
 * the code `unknown`; its message names the origin if `address` is given.
 */
export const errorOf = (status: number, body: string, address?: string): ApiError => {
  const reply = objectIn(body)
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
    errors: placesIn(reply.errors),
  })
}

const placesIn = (found: unknown): ErrorPlace[] =>
  Array.isArray(found) ? found.flatMap((place: unknown) => (isPlace(place) ? [place] : [])) : []

const isPlace = (found: unknown): found is ErrorPlace =>
  typeof found === 'object' && found !== null && 'message' in found && typeof found.message === 'string'

/** The object that a JSON text holds; an empty one where it is something else, such as a proxy's page. */
const objectIn = (json: string): Record<string, unknown> => {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}
