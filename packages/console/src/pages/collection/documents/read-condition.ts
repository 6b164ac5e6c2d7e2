/** Reads the value of a filter as people write it: as in the documents, as the tables show it, or as an address has it. */
import { toNumber } from '@querent/contract/exact-json'
import { type FilterableType, readFieldValue } from '@querent/contract/field-value'
import { compileValueReader } from '@querent/contract/read-value'
import { readingField } from '#pages/collection/count-misfits.ts'
import type { FieldSummary } from './document-path.ts'

/** A day in words, such as `18 Apr 2024` or `Apr 18, 2024`. */
const dayInWords = /^(?=.*\p{L}{3})(?=.*\b\d{4}\b)[\p{L}\d\s.,]+$/u

const readDay = (text: string): string | undefined => {
  const time = dayInWords.test(text) ? Date.parse(`${text} UTC`) : Number.NaN
  if (Number.isNaN(time)) return undefined
  const date = new Date(time)
  // `April 31, 2024` becomes the first of May, and a month alone its first day.
  const hasDay = new RegExp(`\\b0?${date.getUTCDate()}\\b`).test(text)
  return hasDay ? date.toISOString().slice(0, '2024-01-31'.length) : undefined
}

/** Returns the value as an address has it (query-service.md, Filter values); undefined if the field cannot have it. */
export const readCondition = (
  text: string,
  type: FilterableType,
  field: FieldSummary,
): string | undefined => {
  const trimmed = text.trim()
  if (trimmed === '') return undefined
  if (readFieldValue(type, trimmed) !== undefined) return type === 'keyword' ? text : trimmed
  const checked = readingField(field)
  const value = toNumber(checked && compileValueReader(checked)(trimmed))
  if (typeof value === 'number' || typeof value === 'string') return String(value)
  return type === 'date' ? readDay(trimmed) : undefined
}
