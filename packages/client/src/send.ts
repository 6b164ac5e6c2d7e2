import { ApiError, parseErrorReply, UnexpectedReplyError, UnreachableError } from './errors.ts'
import { type RetryPolicy, untilAborted, withRetries } from './retry.ts'

/** Returns an access token that stays valid for at least some seconds. */
export type TokenSource = () => Promise<string>

export interface Request {
  method?: string
  /** Sent as JSON, as `application/json` unless `headers` say otherwise. */
  json?: unknown
  /** Sent as a form (application/x-www-form-urlencoded). */
  form?: Record<string, string> | [name: string, value: string][]
  token?: TokenSource | undefined
  headers?: Readonly<Record<string, string>> | undefined
  /** Cancels the request, the wait before a retry, and the wait for a token. */
  signal?: AbortSignal | undefined
  /** For requests that may run twice: reads, and writes that set a whole value. Without it, each request is sent once. */
  retry?: RetryPolicy | undefined
  /** Receives the headers of a successful reply. */
  onHeaders?: ((headers: Headers) => void) | undefined
}

/**
 * Sends one request and returns its JSON reply, or `undefined` for an empty reply. Its type is the contract's, which the server validates
 * its replies with. Throws `ApiError`, `UnreachableError`, or `UnexpectedReplyError` if the reply is not JSON.
 */
export const send = <Reply>(address: string, request: Request = {}): Promise<Reply> =>
  request.retry
    ? withRetries(request.retry, request.signal, () => sendOnce<Reply>(address, request))
    : sendOnce<Reply>(address, request)

const sendOnce = async <Reply>(address: string, request: Request): Promise<Reply> => {
  rejectDotSegments(address)
  const init = await buildInit(request, 'application/json')
  const text = await translateErrors(address, request, async () => {
    const reply = await fetchReply(address, init)
    request.onHeaders?.(reply.headers)
    return reply.text()
  })
  // Only here does a reply become a typed value. Client and server share the contract.
  return (text === '' ? undefined : parseReply(address, text)) as Reply
}

/**
 * Throws `ApiError` for a name or value that is exactly `.` or `..`, because URL parsers remove such segments, encoded or not
 * (https://url.spec.whatwg.org/#double-dot-path-segment).
 */
export const rejectDotSegments = (address: string): void => {
  const [segment] = /(?<=\/)\.\.?(?=[/?]|$)/.exec(address) ?? []
  if (segment !== undefined)
    throw new ApiError(400, {
      message: `"${segment}" cannot be sent: as a segment of a path, it would change the address`,
      code: 'bad-parameter',
    })
}

const parseReply = (address: string, text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new UnexpectedReplyError(address, 'a Querent server', cause)
  }
}

/**
 * Sends one request and streams the bytes of its reply. Throws `ApiError` or `UnreachableError`, also while reading, if the reply is cut
 * off.
 */
export async function* download(address: string, request: Request = {}): AsyncGenerator<Uint8Array> {
  rejectDotSegments(address)
  const init = await buildInit(request, '*/*')
  const { body } = await translateErrors(address, request, () => fetchReply(address, init))
  const reader = body?.getReader()
  try {
    for (;;) {
      const part = await translateErrors(address, request, () => reader?.read())
      if (!part || part.done) return
      yield part.value
    }
  } finally {
    // The connection is gone already.
    await reader?.cancel().catch(() => {})
  }
}

/** Turns network errors into `UnreachableError`. An abort of the caller's signal passes unchanged. */
const translateErrors = async <T>(
  address: string,
  { signal }: Request,
  work: () => T | Promise<T>,
): Promise<T> => {
  try {
    return await work()
  } catch (cause) {
    if (signal?.aborted || cause instanceof ApiError) throw cause
    throw new UnreachableError(address, cause)
  }
}

/** Passes errors of the token source on. */
const buildInit = async (request: Request, accept: string): Promise<RequestInit> => {
  const headers = new Headers({ accept, ...request.headers })
  if (request.token)
    headers.set('authorization', `Bearer ${await untilAborted(request.signal, request.token())}`)
  if (request.json !== undefined && !headers.has('content-type'))
    headers.set('content-type', 'application/json')
  const body = request.form
    ? new URLSearchParams(request.form)
    : request.json === undefined
      ? null
      : JSON.stringify(request.json)
  // Redirects are never followed, because they would send the token or the secret to another server.
  return { method: request.method ?? 'GET', headers, body, redirect: 'error', signal: request.signal ?? null }
}

/** Fetches a successful reply. Throws `ApiError` for error replies, and passes errors of `fetch` on. */
const fetchReply = async (address: string, init: RequestInit): Promise<Response> => {
  const reply = await fetch(address, init)
  if (reply.status >= 400) throw parseErrorReply(reply.status, await reply.text(), address, reply.headers)
  return reply
}
