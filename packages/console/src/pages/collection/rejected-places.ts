/** Where the rejected documents of an import are. */
import type { ErrorPlace } from '@querent/contract/errors'

/** Lines, or positions in a JSON list, both ends included. */
export type PlaceRange = readonly number[]

/** Returns `rejectedAt` of a reply, or the places of its errors if it has none. */
export const listRejectedPlaces = ({
  errors,
  rejectedAt,
}: {
  errors: readonly ErrorPlace[]
  rejectedAt?: readonly PlaceRange[]
}): readonly PlaceRange[] =>
  rejectedAt ??
  errors.flatMap(({ line, index }) => {
    const place = index ?? line
    return place === undefined ? [] : [[place, place]]
  })
