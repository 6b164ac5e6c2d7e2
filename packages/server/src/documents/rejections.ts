/** Collects the errors of an import, in bounded memory. */
import { addToGroup, readErrorKind } from '@querent/contract/error-groups'
import type { ErrorGroup, ErrorPlace } from '@querent/contract/errors'

/** Errors in a reply; `rejected` counts all of them. */
export const errorsShownMax = 100

/** Ranges of rejected places in a reply. */
const rangesMax = 10_000

/** Reasons in a reply. */
const reasonsMax = 100

/** Where a document is: its line, or its position in the list of a JSON file. */
export type Place = Pick<ErrorPlace, 'line' | 'index'>

export interface Rejected {
  rejected: number
  /** The first of them, in their order. */
  errors: ErrorPlace[]
  /** All of them by reason, if there are more. */
  reasons?: ErrorGroup[]
  /** Where all of them are, if there are more: ranges of lines or positions, both ends included. */
  rejectedAt?: [number, number][]
}

export const createRejections = () => {
  let rejected = 0
  const errors: ErrorPlace[] = []
  const reasons = new Map<string, ErrorGroup>()
  const ranges: [number, number][] = []
  const locate = ({ line, index }: Place): void => {
    const place = index ?? line ?? 0
    const last = ranges.at(-1)
    if (last && place === last[1] + 1) last[1] = place
    else if (ranges.length < rangesMax) ranges.push([place, place])
  }
  const count = (error: ErrorPlace): void => {
    const kind = readErrorKind(error.message)
    const reason = reasons.get(kind)
    if (reason) addToGroup(reason, error)
    else if (reasons.size < reasonsMax) reasons.set(kind, { first: error, count: 1 })
  }
  const add = (place: Place, message: string): void => {
    rejected += 1
    const error = { ...place, message }
    count(error)
    locate(place)
    if (errors.length < errorsShownMax) errors.push(error)
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
      return rejected > errors.length
        ? { rejected, errors, reasons: [...reasons.values()], rejectedAt: joinRanges(ranges) }
        : { rejected, errors }
    },
  }
}

/** Sorts ranges, and joins those that follow each other. */
const joinRanges = (ranges: readonly [number, number][]): [number, number][] => {
  const joined: [number, number][] = []
  for (const [first, last] of ranges.toSorted(([one], [next]) => one - next)) {
    const previous = joined.at(-1)
    if (previous && first <= previous[1] + 1) previous[1] = Math.max(previous[1], last)
    else joined.push([first, last])
  }
  return joined
}

/** Says where an error is, such as `line 2` or `index 0`. */
export const describePlace = ({ line, index }: Place): string =>
  index === undefined ? `line ${line}` : `index ${index}`
