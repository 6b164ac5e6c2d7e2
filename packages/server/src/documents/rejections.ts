/** Collects the errors of an import, in bounded memory. */
import type { ErrorPlace } from '@querent/contract/errors'

/** Errors in a reply; `rejected` counts all of them. */
export const errorsShownMax = 100

/** Where a document is: its line, or its position in the list of a JSON file. */
export type Place = Pick<ErrorPlace, 'line' | 'index'>

export interface Rejected {
  rejected: number
  /** The first of them, in their order. */
  errors: ErrorPlace[]
}

export const createRejections = () => {
  let rejected = 0
  const errors: ErrorPlace[] = []
  const add = (place: Place, message: string): void => {
    rejected += 1
    if (errors.length < errorsShownMax) errors.push({ ...place, message })
  }
  return {
    add,
    /** Like `add`, for an error that ends the stream: the reply always has it. */
    addEnd(place: Place, message: string): void {
      errors.splice(errorsShownMax - 1)
      add(place, message)
    },
    /** Errors of documents that the engine skipped arrive only after their batch is written. */
    read(): Rejected {
      errors.sort((a, b) => (a.index ?? a.line ?? 0) - (b.index ?? b.line ?? 0))
      return { rejected, errors }
    },
  }
}

/** Says where an error is, such as `line 2` or `index 0`. */
export const describePlace = ({ line, index }: Place): string =>
  index === undefined ? `line ${line}` : `index ${index}`
