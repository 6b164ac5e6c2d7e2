/**
 * A request and its reply on Node's own server, for queries. Fastify costs more than a query's authorization and planning together
 * (bench/notes/performance.md, "What a query costs").
 */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyBaseLogger } from 'fastify'
import { logProblem, problemOrFault, problemReply, representationHeaders } from '#errors'
import type { MaybePromise } from '#storage/directory'
import { endStep, getObservation, type Observation, setAttributes } from '#telemetry/request-attributes'
import { compressIfAccepted } from './compression.ts'
import { byteLength, isOnePiece, type Text } from './large-text.ts'
import type { HeaderWriter } from './vary.ts'

export interface QueryReply extends HeaderWriter {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly requestId: string
  /** Attributes for logs and traces. Undefined if nobody observes the request. */
  readonly observation: Observation | undefined
  /** Path and query, still encoded. */
  readonly url: string
  /** Sends the reply. Compresses the body if the client accepts that and it has no `Content-Encoding` yet. */
  send(status: number, body?: Text | Uint8Array): MaybePromise<void>
  /** Sends an error without details, and logs its cause. */
  fail(error: unknown, log: FastifyBaseLogger): Promise<void>
}

/** Index of a name in a flat list of names and values, or the length of the list. */
const headerIndex = (headers: readonly (string | number)[], name: string): number => {
  let index = 0
  while (index < headers.length && headers[index] !== name) index += 2
  return index
}

/** `route` is its name in the request log. */
export const createQueryReply = (
  request: IncomingMessage,
  response: ServerResponse,
  route: string,
): QueryReply => {
  const requestId = randomUUID()
  /** Names and values in a flat list, which Node writes without lookups by name. */
  const headers: (string | number)[] = ['x-request-id', requestId, 'x-content-type-options', 'nosniff']
  const getHeader = (name: string) => headers[headerIndex(headers, name) + 1]
  const setHeader = (name: string, value: string | number): void => {
    const index = headerIndex(headers, name)
    headers[index] = name
    headers[index + 1] = value
  }
  const observation = getObservation(response)
  if (observation) Object.assign(observation.attributes, { requestId, route })
  const sendBytes = (status: number, body: Text | Uint8Array): void => {
    setHeader('content-length', byteLength(body))
    response.writeHead(status, headers)
    if (isOnePiece(body)) {
      response.end(body)
      return
    }
    for (const piece of body) response.write(piece)
    response.end()
  }
  const queryReply: QueryReply = {
    request,
    response,
    requestId,
    observation,
    url: request.url ?? '/',
    header: setHeader,
    getHeader,
    send(status, body) {
      endStep(observation, 'serialize')
      if (body === undefined) {
        response.writeHead(status, headers)
        response.end()
        return
      }
      const accepted = request.headers['accept-encoding']
      const compressed =
        accepted === undefined || accepted === 'identity' || getHeader('content-encoding') !== undefined
          ? undefined
          : compressIfAccepted(accepted, String(getHeader('content-type')), body)
      if (!compressed) return sendBytes(status, body)
      return compressed.then(({ encoding, body: bytes }) => {
        // The query missed its deadline meanwhile.
        if (response.headersSent) return
        setHeader('content-encoding', encoding)
        sendBytes(status, bytes)
      })
    },
    async fail(error, log) {
      const problem = problemOrFault(error)
      setAttributes(response, { code: problem.code })
      logProblem(problem.status < 500 ? log : log.child({ requestId }), problem, response.destroyed)
      if (response.headersSent) {
        response.destroy()
        return
      }
      for (const name of representationHeaders) headers.splice(headerIndex(headers, name), 2)
      const reply = problemReply(problem, requestId)
      for (const [name, value] of Object.entries(reply.headers)) setHeader(name, value)
      await queryReply.send(problem.status, reply.body)
    },
  }
  return queryReply
}
