import { errorOf, UnreachableError } from './errors.ts'

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
}

/**
 * Sends one request and gives the JSON of its reply, `undefined` for an empty one. The type is that of the contract, which the
 * server checks its replies with. Throws `ApiError` or `UnreachableError`.
 */
export const send = async <Reply>(address: string, request: Request = {}): Promise<Reply> => {
  const headers = new Headers({ accept: 'application/json', ...request.headers })
  if (request.token) headers.set('authorization', `Bearer ${await request.token()}`)
  if (request.json !== undefined) headers.set('content-type', 'application/json')
  const body = request.form
    ? new URLSearchParams(request.form)
    : request.json === undefined
      ? null
      : JSON.stringify(request.json)
  let status: number
  let text: string
  try {
    // A redirect is never followed: it would carry the token or the secret elsewhere.
    const reply = await fetch(address, {
      method: request.method ?? 'GET',
      headers,
      body,
      redirect: 'error',
      signal: request.signal ?? null,
    })
    status = reply.status
    text = await reply.text()
  } catch (cause) {
    if (request.signal?.aborted) throw cause
    throw new UnreachableError(address, cause)
  }
  if (status >= 400) throw errorOf(status, text)
  // The one place where a reply becomes a typed value; both ends are built from the same contract.
  return (text === '' ? undefined : JSON.parse(text)) as Reply
}
