/** Values of the field types that filters, facets and row filters work on, as they are written in URLs and in workspace files. */
import type { Collection, FieldType } from './workspace-file.ts'

export const filterableTypes = ['keyword', 'number', 'boolean', 'date'] as const
export type FilterableType = (typeof filterableTypes)[number]

export const isFilterable = (type: FieldType): type is FilterableType =>
  (filterableTypes as readonly FieldType[]).includes(type)

/** Field name → the types it has in these collections. */
export const fieldTypes = (collections: Iterable<Collection>): Map<string, FieldType[]> => {
  const types = new Map<string, FieldType[]>()
  for (const { fields } of collections)
    for (const [name, { type }] of Object.entries(fields ?? {})) {
      const known = types.get(name)
      if (known === undefined) types.set(name, [type])
      else if (!known.includes(type)) known.push(type)
    }
  return types
}

/** What a value of each type may look like, in words. */
export const valueForms: Readonly<Record<FilterableType, string>> = {
  keyword: 'any text',
  number: 'a decimal number, such as 12, -0.5 or 1e6',
  boolean: 'true or false',
  date: 'an RFC 3339 date, such as 2024-01-31 or 2024-01-31T12:00:00Z, of the years 0000 to 9999',
}

const numberPattern = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/

/** The value that `text` writes, or undefined when it writes none of that type. Dates stay text, as {@link plainDate} writes them. */
export const readFieldValue = (type: FilterableType, text: string): string | number | boolean | undefined => {
  switch (type) {
    case 'keyword':
      return text
    case 'number': {
      const number = numberPattern.test(text) ? Number(text) : Number.NaN
      return Number.isFinite(number) ? number : undefined
    }
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : undefined
    case 'date':
      return isDate(text) ? plainDate(text) : undefined
  }
}

const datePattern =
  /^([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.[0-9]+)?(?:[Zz]|[+-]([0-9]{2}):([0-9]{2})))?$/
const dayLength = '2024-01-31'.length

/**
 * A date-time of RFC 3339, section 5.6, or its full-date alone, which names the whole day in UTC. Days that the calendar has, leap
 * seconds at the ends of months in UTC (section 5.7), years 0000 to 9999 in UTC too: what every engine can hold, and write. They compare
 * by microseconds: further decimals are kept in the text alone.
 */
export const isDate = (text: string): boolean => {
  const parts = datePattern.exec(text)
  if (parts === null) return false
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, offsetHour = 0, offsetMinute = 0] =
    parts.slice(1).map(part => Number(part ?? 0))
  const daysInMonth = new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate()
  return (
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= daysInMonth &&
    hour <= 23 &&
    minute <= 59 &&
    second <= 60 &&
    offsetHour <= 23 &&
    offsetMinute <= 59 &&
    (second < 60 || isLastOfMonth(text)) &&
    ((year > 0 && year < 9999) || isWrittenInUtc(text))
  )
}

/** Whether the year that it is in UTC has four digits. */
const isWrittenInUtc = (date: string): boolean =>
  /^[0-9]/.test(new Date(Date.parse(plainDate(date))).toISOString())

/** Whether the second that {@link plainDate} makes of `date` is the last one of a month in UTC. */
const isLastOfMonth = (date: string): boolean => {
  const next = new Date(Date.parse(plainDate(date)) + 1000)
  return next
    .toISOString()
    .replace(/\.[0-9]+Z$/, '')
    .endsWith('-01T00:00:00')
}

/** A date as everything can compare it: upper case `T` and `Z`, a leap second as the one before it. `date` is one that {@link isDate} accepts. */
export const plainDate = (date: string): string => date.toUpperCase().replace(/:60(?=[.Z+-])/, ':59')

/** True for a date that {@link isDate} accepts and that names a whole day. */
export const isWholeDay = (date: string): boolean => date.length === dayLength
