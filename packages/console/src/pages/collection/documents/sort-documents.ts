/** Sorts documents by a field. The documents address lists them by id or by relevance only. */

import { listValues, readingField } from '@querent/contract/count-misfits'
import { toNumber } from '@querent/contract/exact-json'
import { plainDate } from '@querent/contract/field-value'
import { compileValueReader } from '@querent/contract/read-value'
import type { ListedDocument } from '#api/documents.ts'
import { type FieldSummary, readField } from './document-path.ts'

/** The address lists no more at once. */
export const sortedMax = 1000

interface SortKey {
  /** First those with a value of the field, then those with another one, then those without. */
  group: 0 | 1 | 2
  value: string | number
}

const writeText = (value: unknown): string =>
  typeof value === 'object' ? JSON.stringify(value) : String(value)

/** Dates compare by time, whatever their time zone, and numbers by size. */
const toComparable = (value: unknown, type: string): string | number => {
  if (type === 'date') return Date.parse(plainDate(String(value)))
  const number = type === 'number' ? toNumber(value) : value
  return typeof number === 'bigint' || typeof number === 'number' ? Number(number) : writeText(number)
}

/** Returns a function that reads a value as the index does, so that `1.008,68` and `Apr 03 2008` sort as what they mean. */
const compileKeyReader = (field: FieldSummary): ((document: ListedDocument) => SortKey) => {
  const checked = readingField(field)
  const read = checked && compileValueReader(checked)
  return ({ document }) => {
    const stored = readField(document, field)
    const [first] = checked ? listValues(stored, checked) : [stored].flat()
    if (first === undefined || first === null || first === '') return { group: 2, value: '' }
    const value = read ? read(first) : first
    if (value === undefined) return { group: 1, value: writeText(first) }
    return { group: 0, value: toComparable(value, field.type) }
  }
}

const compareValues = (one: string | number, next: string | number, collator: Intl.Collator): number =>
  typeof one === 'number' && typeof next === 'number'
    ? one - next
    : collator.compare(String(one), String(next))

/** Returns the documents in the order of their values. Those without a value are last, whatever the direction. `language`: a tag of BCP 47. */
export const sortDocuments = (
  documents: readonly ListedDocument[],
  sort: string,
  fields: readonly FieldSummary[],
  language: string,
): ListedDocument[] => {
  const collator = new Intl.Collator(language, { numeric: true, sensitivity: 'base' })
  const { field, isDescending } = readSort(sort)
  const summary = fields.find(({ name }) => name === field) ?? { name: field, type: 'keyword' }
  const readKey = compileKeyReader(summary)
  return documents
    .map(document => ({ document, key: readKey(document) }))
    .toSorted(
      ({ key: one }, { key: next }) =>
        one.group - next.group || compareValues(one.value, next.value, collator) * (isDescending ? -1 : 1),
    )
    .map(({ document }) => document)
}

export const readSort = (sort: string): { field: string; isDescending: boolean } =>
  sort.startsWith('-') ? { field: sort.slice(1), isDescending: true } : { field: sort, isDescending: false }

/** The next sort by a field: ascending, descending, none. */
export const nextSort = (sort: string | undefined, field: string): string | undefined =>
  sort === field ? `-${field}` : sort === `-${field}` ? undefined : field
