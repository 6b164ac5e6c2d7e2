/** What the addon says, as the errors of an `Engine`. */
import type { Outcome } from '@querent/engine'
import { EngineError, type EngineErrorCode } from '#engines/engine'

/** The outcome, or its failure thrown as an EngineError. */
export function answered(outcome: Outcome): Outcome {
  if (outcome.code === undefined) return outcome
  throw new EngineError(errorCode(outcome.code), outcome.message ?? 'the addon gave no reason')
}

/** What the addon throws as `code: message`, as an EngineError. */
export function inWords<T>(call: () => T): T {
  try {
    return call()
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const colon = message.indexOf(': ')
    throw new EngineError(errorCode(message.slice(0, colon)), message.slice(colon + 2), { cause: error })
  }
}

const errorCodes: readonly EngineErrorCode[] = [
  'unsupported',
  'unavailable',
  'overloaded',
  'timeout',
  'cancelled',
  'fault',
]

function errorCode(text: string): EngineErrorCode {
  return errorCodes.find(code => code === text) ?? 'fault'
}
