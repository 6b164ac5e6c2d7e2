import { ApiError, errorOf, UnexpectedReplyError, UnreachableError } from './errors.ts'

/** Gives an access token that is good for at least some seconds more. */
export type TokenSource = () => Promise<string>

export interface Request {
  method?: string
  /** Sent as JSON. */
  json?: unknown
  /** Sent as a form (application/x-www-form-urlencoded). */
  form?: Record<string, string>
  token?: TokenSource | undefined
  headers?: Readonly<Record<string, string>> | undefined
  signal?: AbortSignal | undefined
  /** Gets the headers of a reply that is not an error. */
  onHeaders?: ((headers: Headers) => void) | undefined
}

/**
 * Sends one request and gives the JSON of its reply, `undefined` for an empty one. The type is that of the contract, which the
 * server checks its replies with. Throws `ApiError`, `UnreachableError`, or `UnexpectedReplyError` for what is no JSON.
 */
export const send = async <Reply>(address: string, request: Request = {}): Promise<Reply> => {
  refuseDots(address)
  const asked = await initOf(request, 'application/json')
  const text = await inWords(address, request, async () => {
    const reply = await answerOf(address, asked)
    request.onHeaders?.(reply.headers)
    return reply.text()
  })
  // The one place where a reply becomes a typed value; both ends are built from the same contract.
  return (text === '' ? undefined : parsed(address, text)) as Reply
}

/**
 * Throws `ApiError` for a name or value that is exactly `.` or `..`: encoded or not, it would make another address
 * (https://url.spec.whatwg.org/#double-dot-path-segment).
 */
export const refuseDots = (address: string): void => {
  const [found] = /(?<=\/)\.\.?(?=[/?]|$)/.exec(address) ?? []
  if (found !== undefined)
    throw new ApiError(400, {
      message: `"${found}" cannot be sent: as a part of an address it names another one`,
      code: 'bad-parameter',
    })
}

const parsed = (address: string, text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new UnexpectedReplyError(address, 'a Querent server', cause)
  }
}

/**
 * Sends one request and gives the bytes of its reply as they come. Throws `ApiError` or `UnreachableError`; so does reading them, when the
 * reply is cut short.
 */
export async function* download(address: string, request: Request = {}): AsyncGenerator<Uint8Array> {
  refuseDots(address)
  const asked = await initOf(request, '*/*')
  const { body } = await inWords(address, request, () => answerOf(address, asked))
  const reader = body?.getReader()
  try {
    for (;;) {
      const part = await inWords(address, request, () => reader?.read())
      if (!part || part.done) return
      yield part.value
    }
  } finally {
    await reader?.cancel().catch(() => {})
  }
}

/** What the network says, for who called; what an own signal ended, as it is. */
const inWords = async <T>(address: string, { signal }: Request, work: () => T | Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (cause) {
    if (signal?.aborted || cause instanceof ApiError) throw cause
    throw new UnreachableError(address, cause)
  }
}

/** Throws what the source of tokens throws. */
const initOf = async (request: Request, accept: string): Promise<RequestInit> => {
  const headers = new Headers({ accept, ...request.headers })
  if (request.token) headers.set('authorization', `Bearer ${await request.token()}`)
  if (request.json !== undefined) headers.set('content-type', 'application/json')
  const body = request.form
    ? new URLSearchParams(request.form)
    : request.json === undefined
      ? null
      : JSON.stringify(request.json)
  // A redirect is never followed: it would carry the token or the secret elsewhere.
  return { method: request.method ?? 'GET', headers, body, redirect: 'error', signal: request.signal ?? null }
}

/** A reply that is none of an error. Throws `ApiError`, or what `fetch` throws. */
const answerOf = async (address: string, asked: RequestInit): Promise<Response> => {
  const reply = await fetch(address, asked)
  if (reply.status >= 400) throw errorOf(reply.status, await reply.text(), address)
  return reply
}
