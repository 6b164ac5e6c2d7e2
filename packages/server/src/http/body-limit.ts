/**
 * Limits how long the body of a request may take to arrive, and rejects bodies where none is allowed (authorization-server.md, Request
 * bodies). Node's own `requestTimeout` would apply to the whole server, including imports, which have no limit.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { Problem } from '#errors'
import { setAttributes } from '#telemetry/request-attributes'
import { refuseRequest } from './parser-errors.ts'

const bodyMsMax = 60_000

interface BodyLimit {
  /** Time for the whole body, in milliseconds. Default: 60,000. */
  msMax?: number
  /** True if the handler itself limits the time between two parts of the body. */
  isStream?: (request: IncomingMessage) => boolean
  /** True if the request must not have a body. */
  isBodyless?: (request: IncomingMessage) => boolean
  /** Answers if the body does not arrive in time. By default sends this problem as JSON. */
  answer?: (request: IncomingMessage, response: ServerResponse, problem: Problem) => void
}

const sendProblem = (_request: IncomingMessage, response: ServerResponse, problem: Problem): void => {
  setAttributes(response, { code: problem.code })
  refuseRequest(response, problem)
}

/** Puts the limit before `next`. A late body gets 408, and a body that is not allowed 400. Both end the connection. */
export const limitBodies =
  (
    { msMax = bodyMsMax, isStream = () => false, isBodyless = () => false, answer = sendProblem }: BodyLimit,
    next: RequestListener,
  ): RequestListener =>
  (request, response) => {
    if (hasBody(request)) {
      if (isBodyless(request)) return sendProblem(request, response, notAllowed(request))
      if (!isStream(request)) limitTime(request, response, msMax, answer)
    }
    next(request, response)
  }

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined ||
  (headers['content-length'] !== undefined && headers['content-length'] !== '0')

const limitTime = (
  request: IncomingMessage,
  response: ServerResponse,
  msMax: number,
  answer: Required<BodyLimit>['answer'],
): void => {
  const timer = setTimeout(() => {
    // The request was answered before its body arrived, so there is no other reply to send.
    if (response.headersSent) request.socket.destroy()
    else answer(request, response, lateBody(msMax))
  }, msMax).unref()
  request.once('close', () => clearTimeout(timer))
}

const lateBody = (msMax: number): Problem =>
  new Problem('request-timeout', `the body did not arrive within ${msMax / 1000} s: send the request again`, {
    headers: { connection: 'close' },
  })

const notAllowed = ({ method }: IncomingMessage): Problem =>
  new Problem('bad-request', `a ${method} request has no body here: send it without one`)
