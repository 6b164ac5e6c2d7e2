/** Reads values of fields as people type them: in the form of the documents, which an import reads, or as the console shows them. */
import { readRawNumber } from '@querent/contract/exact-json'
import { type FilterableType, readFieldValue } from '@querent/contract/field-value'
import { compileValueReader } from '@querent/contract/read-value'
import type { ValueForm } from '@querent/contract/value-form'
import { writeDecimal } from './write-decimal.ts'

/** A day in words, such as `18 Apr 2024` or `Apr 18, 2024`, and maybe a time, in UTC unless it has an offset. */
const dayInWords =
  /^(?=.*\p{L}{3})(?=.*\b\d{4}\b)([\p{L}\d\s.,]+?)(,? \d\d:\d\d(?::\d\d)?(?: UTC(?:[+-]\d\d?(?::\d\d)?)?)?)?$/u

const readDay = (text: string): string | undefined => {
  const [, day = '', clock] = dayInWords.exec(text) ?? []
  const time = day === '' ? Number.NaN : Date.parse(clock?.includes('UTC') ? text : `${text} UTC`)
  if (Number.isNaN(time)) return undefined
  const date = new Date(time)
  // `April 31, 2024` becomes the first of May, and a month alone its first day.
  const dayOfMonth = new Date(`${day} UTC`).getUTCDate()
  const hasDay = new RegExp(`\\b0?${dayOfMonth}\\b`).test(day)
  if (!hasDay) return undefined
  return clock === undefined ? date.toISOString().slice(0, '2024-01-31'.length) : date.toISOString()
}

/**
 * Returns the value; undefined if the field cannot have it. Dates are in a form of RFC 3339, and numbers that JavaScript would round are their
 * digits. In a form with a decimal comma `1.234` is 1234, as it is in a document.
 */
export const readTypedValue = (
  text: string,
  type: FilterableType,
  { decimal, formats }: Readonly<ValueForm>,
): string | number | boolean | undefined => {
  const trimmed = text.trim()
  switch (type) {
    case 'keyword':
      return text
    case 'boolean':
      return readFieldValue(type, trimmed)
    case 'number': {
      const read = compileValueReader({ type, ...(decimal ? { decimal } : {}) })(trimmed)
      return typeof read === 'number' ? read : readRawNumber(read)
    }
    case 'date': {
      const read = compileValueReader({ type, ...(formats ? { formats } : {}) })(trimmed)
      return typeof read === 'string' ? read : readDay(trimmed)
    }
  }
}

/** Returns the value as an address has it (query-service.md, Filter values); undefined if the field cannot have it. */
export const readAddressValue = (
  text: string,
  type: FilterableType,
  form: Readonly<ValueForm>,
): string | undefined => {
  const value = text.trim() === '' ? undefined : readTypedValue(text, type, form)
  return value === undefined ? undefined : String(value)
}

/** Returns the text of a value for an input, so that {@link readTypedValue} reads the same value. */
export const writeTypedValue = (
  value: string | number | boolean,
  type: string | undefined,
  form: Readonly<ValueForm>,
): string => (type === 'number' ? writeDecimal(String(value), form) : String(value))
