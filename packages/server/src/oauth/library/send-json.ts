/** Sends JSON replies that are never cached. */
import type { ServerResponse } from 'node:http'

/** A rejection in the form of RFC 6749, section 5.2. */
export interface Refusal {
  status: number
  headers?: Record<string, string>
  error: string
  description: string
}

export const sendRefusal = (
  response: ServerResponse,
  { status, headers, error, description }: Refusal,
): void => {
  sendJson(response, status, { error, error_description: description }, headers)
}

export const sendJson = (
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void => {
  const text = JSON.stringify(body)
  response
    .writeHead(status, {
      ...headers,
      'cache-control': 'no-store',
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(text),
    })
    .end(text)
}
