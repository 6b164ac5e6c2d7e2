/** Sends JSON replies that are never cached. */
import type { ServerResponse } from 'node:http'
import { errorReply, Problem } from '#errors'

/** A rejection in the form of RFC 6749, section 5.2. */
export interface Refusal {
  status: number
  headers?: Record<string, string>
  error: string
  description: string
  notBuilt?: boolean
}

export const sendRefusal = (
  response: ServerResponse,
  { status, headers, error, description, notBuilt }: Refusal,
): void => {
  const ownFields = notBuilt && errorReply(new Problem('not-built-yet', description), readRequestId(response))
  sendJson(response, status, { error, error_description: description, ...ownFields }, headers)
}

/** Set before anything else. */
const readRequestId = (response: ServerResponse): string => String(response.getHeader('x-request-id'))

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
