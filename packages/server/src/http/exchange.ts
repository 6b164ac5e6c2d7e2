/**
 * A request and the reply that is being made of it, on Node's own server: what queries are answered on. Fastify costs a query more than
 * its authorisation and planning together (docs/performance.md, "What a query costs").
 */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyBaseLogger } from 'fastify'
import { begunHeaders, logProblem, Problem, problemOrFault, problemReply } from '#errors'
import type { Known } from '#storage/directory'
import { compressedFor } from './compression.ts'
import { endStep, notePlace, type Observation, observationOf } from './observation.ts'
import type { Headed } from './vary.ts'

export interface Exchange extends Headed {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly requestId: string
  /** What is kept of it, where somebody wants to know. */
  readonly observation: Observation | undefined
  /** Path and query, as they came. */
  readonly url: string
  /** Sends the reply, compressed where the client takes that; `body` is left out for HEAD. */
  send(status: number, body?: string | Buffer): Known<void>
  /** Sends what an error is to its two readers: the reply without details, the log with the cause. */
  fail(error: unknown, log: FastifyBaseLogger): Promise<void>
}

/** Where a name stands among names and values by turns; their end where it does not. */
const placeOf = (headers: readonly (string | number)[], name: string): number => {
  let at = 0
  while (at < headers.length && headers[at] !== name) at += 2
  return at
}

/** `route` is what the log of requests calls it. */
export const openExchange = (request: IncomingMessage, response: ServerResponse, route: string): Exchange => {
  const requestId = randomUUID()
  /** Names and values by turns, as Node takes them without looking each up by its name. */
  const headers: (string | number)[] = ['x-request-id', requestId]
  const getHeader = (name: string) => headers[placeOf(headers, name) + 1]
  const setHeader = (name: string, value: string | number): void => {
    const at = placeOf(headers, name)
    headers[at] = name
    headers[at + 1] = value
  }
  const observation = observationOf(response)
  if (observation) Object.assign(observation.place, { requestId, route })
  const sendBytes = (status: number, body: string | Buffer): void => {
    setHeader('content-length', Buffer.byteLength(body))
    response.writeHead(status, headers)
    response.end(body)
  }
  const exchange: Exchange = {
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
        accepted === undefined || accepted === 'identity'
          ? undefined
          : compressedFor(accepted, String(getHeader('content-type')), body)
      if (!compressed) return sendBytes(status, body)
      return compressed.then(({ encoding, body: bytes }) => {
        setHeader('content-encoding', encoding)
        sendBytes(status, bytes)
      })
    },
    async fail(error, log) {
      const problem = problemOrFault(error)
      notePlace(response, { code: problem.code })
      logProblem(problem.status < 500 ? log : log.child({ requestId }), problem, response.destroyed)
      if (response.headersSent) {
        response.destroy()
        return
      }
      for (const name of begunHeaders) headers.splice(placeOf(headers, name), 2)
      const reply = problemReply(problem, requestId)
      for (const [name, value] of Object.entries(reply.headers)) setHeader(name, value)
      await exchange.send(problem.status, reply.body)
    },
  }
  return exchange
}

/** Throws Problem for a request of HTTP/1.1 without a host (RFC 9112, section 3.2). */
export const refuseNoHost = ({ headers, httpVersion }: IncomingMessage): void => {
  if (headers.host === undefined && httpVersion === '1.1')
    throw new Problem('bad-request', 'the header Host is missing (RFC 9112, section 3.2)')
}
