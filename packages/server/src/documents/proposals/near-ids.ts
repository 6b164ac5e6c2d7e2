/** Finds ids of a file in which a few documents lack the id, or have that of another one. */
import { shortenValue } from '@querent/contract/html-text'
import type { NearId } from '@querent/contract/proposal'
import { isIdName } from './rank-names.ts'

/** People may choose a field as id if its values differ in this share of the documents. No proposal takes one, because documents would be lost. */
const offeredShareMin = 0.9
const examplesMax = 3
const exampleCharacters = 40
const nearIdsMax = 5

/** Counts the values of a field that are no ids of their own document. */
export interface IdCount extends NearId {
  ids: Set<string>
}

export const createIdCount = (field: string): IdCount => ({
  field,
  documents: 0,
  repeated: 0,
  missing: 0,
  examples: [],
  ids: new Set(),
})

/** Adds the value of the next document. */
export const countId = (count: IdCount, value: unknown): void => {
  count.documents += 1
  if ((typeof value !== 'string' && typeof value !== 'number') || value === '') {
    count.missing += 1
    return
  }
  const id = String(value)
  if (!count.ids.has(id)) {
    count.ids.add(id)
    return
  }
  count.repeated += 1
  const example = shortenValue(id, exampleCharacters)
  if (count.examples.length < examplesMax && !count.examples.includes(example)) count.examples.push(example)
}

/** Whether each document has a value of its own. */
export const isDifferent = ({ repeated, missing }: NearId): boolean => repeated + missing === 0

/** Returns the counts of the fields that people may choose as id although some values do not differ. */
export const listNearIds = (counts: readonly IdCount[]): NearId[] =>
  counts
    .filter(count => !isDifferent(count) && isIdName(count.field) && readShare(count) >= offeredShareMin)
    .slice(0, nearIdsMax)
    .map(({ ids: _, ...nearId }) => nearId)

const readShare = ({ documents, repeated, missing }: NearId): number =>
  (documents - repeated - missing) / documents
