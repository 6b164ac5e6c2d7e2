/**
 * The log: one line for each request, at level debug: which route, not which URL, because paths and queries hold what people search for,
 * one-time links and codes. And what is said of an error, and of storage that is away.
 */
import type { FastifyBaseLogger } from 'fastify'
import type { Storage } from '#storage/db'
import { type Observer, readStatus } from './request-attributes.ts'

/** Undefined where `logLevel` does not ask for it. */
export const openRequestLog = (log: FastifyBaseLogger, logLevel: string): Observer | undefined => {
  if (logLevel !== 'debug' && logLevel !== 'trace') return undefined
  return ({ service, request, response, attributes, startedMs }, endedMs) => {
    const { requestId = response.getHeader('x-request-id'), ...where } = attributes
    const { method } = request
    const ms = Math.round((endedMs - startedMs) * 10) / 10
    const isWhole = response.writableFinished
    log.debug({ requestId, service, method, ...where, status: readStatus(response), ms, isWhole }, 'request')
  }
}

/** The change feed asks four times a second, and waits up to three seconds for an answer. */
const awayAfterMs = 3000

/** A line when storage goes, and one when it is back; returns how to look no more. */
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
 * An error as it stands in the log: type, code, message and stack, of its causes too. Whatever else libraries hang on their errors stays
 * out: rows of the database, requests with their headers.
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
