/** Sorts documents by a field. The documents address lists them by id or by relevance only. */

import type { ListedDocument } from '#api/documents.ts'
import { language } from '#i18n/translate.ts'
import { type FieldSummary, readFieldByName } from './document-path.ts'

/** The address lists no more at once. */
export const sortedMax = 1000

const collator = new Intl.Collator(language, { numeric: true, sensitivity: 'base' })

const readFirst = (fieldValue: unknown): string | number | undefined => {
  const value: unknown = [fieldValue].flat()[0]
  if (value === undefined || value === null || value === '') return undefined
  return typeof value === 'number' ? value : typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const compareValues = (one: string | number, next: string | number): number =>
  typeof one === 'number' && typeof next === 'number'
    ? one - next
    : collator.compare(String(one), String(next))

/** Documents without a value are last, whatever the direction. */
export const sortDocuments = (
  documents: readonly ListedDocument[],
  sort: string,
  fields: readonly FieldSummary[],
): ListedDocument[] => {
  const { field, isDescending } = readSort(sort)
  const read = ({ document }: ListedDocument) => readFirst(readFieldByName(document, fields, field))
  return documents.toSorted((one, next) => {
    const values = [read(one), read(next)] as const
    if (values[0] === undefined || values[1] === undefined)
      return Number(values[0] === undefined) - Number(values[1] === undefined)
    return compareValues(values[0], values[1]) * (isDescending ? -1 : 1)
  })
}

export const readSort = (sort: string): { field: string; isDescending: boolean } =>
  sort.startsWith('-') ? { field: sort.slice(1), isDescending: true } : { field: sort, isDescending: false }

/** The next sort by a field: ascending, descending, none. */
export const nextSort = (sort: string | undefined, field: string): string | undefined =>
  sort === field ? `-${field}` : sort === `-${field}` ? undefined : field
