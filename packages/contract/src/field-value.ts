/** Reads values of filterable field types, as URLs and workspace files write them. */
import { readLargeNumber } from './exact-number.ts'
import { describeRequired, type FaultText, requirementTexts } from './fault-texts.ts'
import { expandFields } from './object-fields.ts'
import type { Collection, FieldType } from './workspace-file.ts'

export const filterableTypes = ['keyword', 'number', 'boolean', 'date'] as const
export type FilterableType = (typeof filterableTypes)[number]

export const isFilterable = (type: FieldType): type is FilterableType =>
  (filterableTypes as readonly FieldType[]).includes(type)

/** Maps each field name to its types in these collections. */
export const fieldTypes = (collections: Iterable<Collection>): Map<string, FieldType[]> => {
  const types = new Map<string, FieldType[]>()
  for (const { fields } of collections)
    for (const [name, { type }] of Object.entries(expandFields(fields))) {
      const existing = types.get(name)
      if (existing === undefined) types.set(name, [type])
      else if (!existing.includes(type)) existing.push(type)
    }
  return types
}

/** Describes the allowed values of each type, for messages. */
export const valueForms: Readonly<Record<FilterableType, string>> = {
  keyword: requirementTexts['keyword-value'],
  number: requirementTexts['number-value'],
  boolean: requirementTexts['boolean-value'],
  date: requirementTexts['date-value'],
}

/** Describes a value that none of these types can hold. `found` describes the value. */
export const describeWrongValue = (found: string, types: readonly FilterableType[]): FaultText =>
  describeRequired(
    found,
    types.map(type => ({ code: `${type}-value` })),
  )

const numberPattern = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/

/**
 * Parses a value of the type; undefined if the text is not one. Dates stay text, in the form of {@link plainDate}, and so do whole numbers that
 * JavaScript would round.
 */
export const readFieldValue = (type: FilterableType, text: string): string | number | boolean | undefined => {
  switch (type) {
    case 'keyword':
      return text
    case 'number': {
      const large = readLargeNumber(text)
      if (large !== undefined) return large
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
 * Returns whether the text is a date-time of RFC 3339, section 5.6, or a full-date, which means the whole day in UTC. The day must exist.
 * Leap seconds are allowed at the end of a month in UTC (section 5.7). The year in UTC is 0000 to 9999, the range of every engine. Dates
 * compare by microseconds; further decimals stay in the text only.
 */
export const isDate = (text: string): boolean => {
  const parts = datePattern.exec(text)
  if (parts === null) return false
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, offsetHour = 0, offsetMinute = 0] =
    parts.slice(1).map(part => Number(part ?? 0))
  return (
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    (day <= shortestMonth || day <= countDays(year, month)) &&
    hour <= 23 &&
    minute <= 59 &&
    second <= 60 &&
    offsetHour <= 23 &&
    offsetMinute <= 59 &&
    (second < 60 || isLastOfMonth(text)) &&
    ((year > 0 && year < 9999) || isWrittenInUtc(text))
  )
}

/** Every month has at least 28 days. */
const shortestMonth = 28
const countDays = (year: number, month: number): number =>
  new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate()

/** Returns whether the year in UTC has four digits. */
const isWrittenInUtc = (date: string): boolean =>
  /^[0-9]/.test(new Date(Date.parse(plainDate(date))).toISOString())

/** Returns whether {@link plainDate} of `date` is the last second of a month in UTC. */
const isLastOfMonth = (date: string): boolean => {
  const next = new Date(Date.parse(plainDate(date)) + 1000)
  return next
    .toISOString()
    .replace(/\.[0-9]+Z$/, '')
    .endsWith('-01T00:00:00')
}

/** Normalizes a date that {@link isDate} accepts: upper case `T` and `Z`, and a leap second becomes the second before it. */
export const plainDate = (date: string): string => date.toUpperCase().replace(/:60(?=[.Z+-])/, ':59')

/** Returns whether a date that {@link isDate} accepts has no time. */
export const isWholeDay = (date: string): boolean => date.length === dayLength
