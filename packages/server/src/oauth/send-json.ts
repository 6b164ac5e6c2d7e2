/** Replies as JSON, which nobody keeps. */
import type { ServerResponse } from 'node:http'
import { errorReply, Problem } from '#errors'
import type { Refusal } from './entrance.ts'

export const sendRefusal = (
  response: ServerResponse,
  { status, headers, error, description, notBuilt }: Refusal,
): void => {
  const ours = notBuilt && errorReply(new Problem('not-built-yet', description), requestIdOf(response))
  sendJson(response, status, { error, error_description: description, ...ours }, headers)
}

/** It is on the reply before anything else. */
const requestIdOf = (response: ServerResponse): string => String(response.getHeader('x-request-id'))

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
