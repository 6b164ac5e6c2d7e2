/** Turns errors of engines into errors of the query service. */
import { EngineError } from '#engines/engine'
import { Problem } from '#errors'

const codes = {
  unsupported: 'not-built-yet',
  inexact: 'not-supported-by-engine',
  unavailable: 'unavailable',
  'no-resources': 'unavailable',
  'documents-lost': 'documents-lost',
  overloaded: 'overloaded',
  timeout: 'timeout',
  cancelled: 'unavailable',
  fault: 'fault',
} as const

/** Returns the Problem for an EngineError, with the cause for the log. Returns any other error as it is. */
export const toEngineProblem = (error: unknown): unknown => {
  if (!(error instanceof EngineError)) return error
  const { code, message } = error
  if (code !== 'fault') return new Problem(codes[code], message, { cause: error.cause ?? error })
  return new Problem('fault', 'the server failed; its log has the details under this requestId', {
    cause: error,
  })
}
