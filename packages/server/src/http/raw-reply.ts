/**
 * A request and the reply that is being made of it, on Node's own server: what queries are answered on. Fastify costs a query more than
 * its authorisation and planning together (bench/notes/performance.md, "What a query costs").
 */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyBaseLogger } from 'fastify'
import { logProblem, problemOrFault, problemReply, representationHeaders } from '#errors'
import type { MaybePromise } from '#storage/directory'
import { endStep, getObservation, type Observation, setAttributes } from '#telemetry/request-attributes'
import { compressIfAccepted } from './compression.ts'
import type { HeaderWriter } from './vary.ts'

export interface QueryReply extends HeaderWriter {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly requestId: string
  /** What is kept of it, where somebody wants to know. */
  readonly observation: Observation | undefined
  /** Path and query, as they came. */
  readonly url: string
  /** Sends the reply, compressed where the client takes that and it has no `Content-Encoding` yet; `body` is left out for HEAD. */
  send(status: number, body?: string | Buffer): MaybePromise<void>
  /** Sends what an error is to its two readers: the reply without details, the log with the cause. */
  fail(error: unknown, log: FastifyBaseLogger): Promise<void>
}

/** Where a name stands among names and values by turns; their end where it does not. */
const headerIndex = (headers: readonly (string | number)[], name: string): number => {
  let index = 0
  while (index < headers.length && headers[index] !== name) index += 2
  return index
}

/** `route` is what the log of requests calls it. */
export const createQueryReply = (
  request: IncomingMessage,
  response: ServerResponse,
  route: string,
): QueryReply => {
  const requestId = randomUUID()
  /** Names and values by turns, as Node takes them without looking each up by its name. */
  const headers: (string | number)[] = ['x-request-id', requestId, 'x-content-type-options', 'nosniff']
  const getHeader = (name: string) => headers[headerIndex(headers, name) + 1]
  const setHeader = (name: string, value: string | number): void => {
    const index = headerIndex(headers, name)
    headers[index] = name
    headers[index + 1] = value
  }
  const observation = getObservation(response)
  if (observation) Object.assign(observation.attributes, { requestId, route })
  const sendBytes = (status: number, body: string | Buffer): void => {
    setHeader('content-length', Buffer.byteLength(body))
    response.writeHead(status, headers)
    response.end(body)
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
      endStep(observation, 'serialise')
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
