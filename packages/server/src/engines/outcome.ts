/** Turns failures of the addon into `EngineError`. */
import type { Outcome } from '@querent/engine'
import { EngineError, type EngineErrorCode } from '#engines/engine'

/** Returns the outcome; throws an EngineError if it is a failure. */
export function unwrapOutcome(outcome: Outcome): Outcome {
  if (outcome.code === undefined) return outcome
  throw new EngineError(errorCode(outcome.code), outcome.message ?? 'the addon gave no reason')
}

/** Makes a synchronous call of the addon, which throws errors as `code: message`, and throws them as EngineError. */
export function withEngineErrors<T>(call: () => T): T {
  try {
    return call()
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const colon = message.indexOf(': ')
    throw new EngineError(errorCode(message.slice(0, colon)), message.slice(colon + 2), { cause: error })
  }
}

export const canceledByCaller = () => new EngineError('cancelled', 'the caller canceled the query')

const errorCodes: readonly EngineErrorCode[] = [
  'unsupported',
  'inexact',
  'unavailable',
  'no-resources',
  'documents-lost',
  'overloaded',
  'timeout',
  'cancelled',
  'fault',
]

export function errorCode(text: string): EngineErrorCode {
  return errorCodes.find(code => code === text) ?? 'fault'
}
