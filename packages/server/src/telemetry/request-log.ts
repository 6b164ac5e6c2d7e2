/**
 * Log lines of requests, errors and the storage. A request is logged at level debug with its route instead of its URL, because URLs contain
 * search queries, one-time links and codes.
 */
import type { FastifyBaseLogger } from 'fastify'
import type { Storage } from '#storage/db'
import { type Observer, readStatus } from './request-attributes.ts'

/** Returns an observer that logs requests; undefined if `logLevel` excludes them. */
export const openRequestLog = (log: FastifyBaseLogger, logLevel: string): Observer | undefined => {
  if (logLevel !== 'debug' && logLevel !== 'trace') return undefined
  return ({ service, request, response, attributes, startedMs }, endedMs) => {
    const { requestId = response.getHeader('x-request-id'), ...routeAttributes } = attributes
    const { method } = request
    const ms = Math.round((endedMs - startedMs) * 10) / 10
    const isWhole = response.writableFinished
    log.debug(
      { requestId, service, method, ...routeAttributes, status: readStatus(response), ms, isWhole },
      'request',
    )
  }
}

/** The change feed polls four times a second, and waits up to three seconds for a response. */
const awayAfterMs = 3000

/** Logs when the storage becomes unreachable and when it responds again. Returns a function that stops this. */
export const logStorage = (storage: Pick<Storage, 'silentMs'>, log: FastifyBaseLogger): (() => void) => {
  let isAway = false
  const checkStorage = () => {
    const silentMs = Math.round(storage.silentMs())
    if (silentMs > awayAfterMs === isAway) return
    isAway = !isAway
    if (isAway) log.warn({ silentMs }, 'the storage does not answer')
    else log.info('the storage answers again')
  }
  const timer = setInterval(checkStorage, 1000).unref()
  return () => clearInterval(timer)
}

const causesMax = 5

interface LoggedError {
  type: string
  code?: string | number
  message: string
  stack: string
  cause?: LoggedError
  [key: string]: unknown
}

/**
 * Serializes an error for the log: type, code, message and stack, with its causes. Omits other properties of library errors, which may
 * contain database rows or request headers.
 */
export const serializeError = (error: unknown, depth = 0): LoggedError => {
  if (!(error instanceof Error))
    return { type: typeof error, message: typeof error === 'string' ? error : '', stack: '' }
  const { name, message, stack = '', cause } = error
  const code: unknown = 'code' in error ? error.code : undefined
  return {
    type: name,
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    message,
    stack,
    ...(cause === undefined || depth === causesMax ? {} : { cause: serializeError(cause, depth + 1) }),
  }
}
