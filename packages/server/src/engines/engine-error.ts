/** The error of all engines. */

/** Why a generation cannot be used. */
export interface GenerationFailure {
  code: EngineErrorCode
  message: string
}

export type EngineErrorCode =
  /** This engine does not support a node or option of the plan; the message names it. */
  | 'unsupported'
  /** This engine could answer only approximately; the message says what it can do: 400. */
  | 'inexact'
  /** The generation does not exist or is being rebuilt, or storage cannot be read: 503. */
  | 'unavailable'
  /** The machine lacks room on the disk, open files, memory or threads; the message names it: 503. */
  | 'no-resources'
  /** Stored documents are missing or older than writes that were acknowledged: 503 until they are restored. */
  | 'documents-lost'
  /** The bounded queue in front of the engine is full: 503. */
  | 'overloaded'
  /** The deadline passed: 503. */
  | 'timeout'
  /** The caller aborted the signal and expects no answer. */
  | 'cancelled'
  /** An internal error of the engine: 500. */
  | 'fault'

export class EngineError extends Error {
  readonly code: EngineErrorCode
  constructor(code: EngineErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'EngineError'
    this.code = code
  }
}
