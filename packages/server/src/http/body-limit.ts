/**
 * Bounds how long the body of a request may take to arrive, and refuses bodies that no address takes (authorization-server.md, Request
 * bodies). Node's own `requestTimeout` holds for a whole server, where imports take as long as they take.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { Problem } from '#errors'
import { setAttributes } from '#telemetry/request-attributes'
import { refuseRequest } from './parser-errors.ts'

const bodyMsMax = 60_000

interface BodyLimit {
  /** Time for the whole body, in milliseconds; 60,000. */
  msMax?: number
  /** Whether the handler bounds the time between two parts of the body itself. */
  isStream?: (request: IncomingMessage) => boolean
  /** Methods whose requests have no body here. */
  bodyless?: readonly string[]
  /** Answers a body that did not arrive in time; by default with this problem as JSON. */
  answer?: (request: IncomingMessage, response: ServerResponse, problem: Problem) => void
}

const sendProblem = (_request: IncomingMessage, response: ServerResponse, problem: Problem): void => {
  setAttributes(response, { code: problem.code })
  refuseRequest(response, problem)
}

/** Puts the limit before `next`. A body that comes too late gets 408, one that belongs nowhere 400; both connections end then. */
export const limitBodies =
  (
    { msMax = bodyMsMax, isStream = () => false, bodyless = [], answer = sendProblem }: BodyLimit,
    next: RequestListener,
  ): RequestListener =>
  (request, response) => {
    if (hasBody(request)) {
      if (bodyless.includes(request.method ?? '')) return sendProblem(request, response, notAllowed(request))
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
    // Of a request that was answered before its body came there is nothing more to say.
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
