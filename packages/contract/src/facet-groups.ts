/**
 * Ranges and intervals of facets (query-service.md, facet). A range is written `10..50`, `..10` or `50..`: `from` is inclusive, `to`
 * exclusive. Dates may be shortened to a year, a month, a day or an hour in UTC: `2024`, `2024-05`, `2024-05-13`, `2024-05-13T10`.
 */
import { requirementTexts } from './fault-texts.ts'
import { isDate, plainDate, readFieldValue } from './field-value.ts'

export type DateInterval = 'year' | 'month' | 'week' | 'day' | 'hour'

/** Values from `from` to before `to`; either may be absent. Dates are RFC 3339 date-times. `label` is the text that people see and send. */
export interface ValueRange {
  label: string
  from?: string | number
  to?: string | number
}

/** Fractional intervals are multiples of a millionth. Then every engine computes the same bounds, which print as short decimals. */
export const isExactInterval = (interval: number): boolean => Math.round(interval * 1e6) / 1e6 === interval

/** The ends of ranges, for messages. */
export const rangeEndForms: Readonly<Record<'number' | 'date', string>> = {
  number: requirementTexts['number-range-end'],
  date: requirementTexts['date-range-end'],
}
/** The values of filters of facets with ranges or intervals, for messages. */
export const rangeForms: Readonly<Record<'number' | 'date', string>> = {
  number: `${rangeEndForms.number}, or a range, such as 10..50, ..10 or 50..`,
  date: `${rangeEndForms.date}, or a range, such as 2010..2020, ..2010 or 2020..`,
}

const shortDate = /^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:T(\d{2}))?)?)?$/i
const firstMoment = '0000-01-01T00:00:00Z'

/** Returns the first moment of a date, which may be shortened, as an RFC 3339 date-time; undefined for other texts. */
export const readMoment = (text: string): string | undefined => {
  const parts = shortDate.exec(text)
  const moment = parts
    ? `${parts[1]}-${parts[2] ?? '01'}-${parts[3] ?? '01'}T${parts[4] ?? '00'}:00:00Z`
    : plainDate(text)
  return isDate(moment) ? moment : undefined
}

/** Reads an end of a range; undefined if it does not fit the type. A number of the workspace file may be a year. */
export const readRangeEnd = (
  type: 'number' | 'date',
  end: string | number,
): { value: string | number; text: string } | undefined => {
  if (type === 'number') {
    const number = readFieldValue('number', String(end))
    return typeof number === 'number' ? { value: number + 0, text: String(number + 0) } : undefined
  }
  const text = (typeof end === 'number' ? String(end).padStart(4, '0') : end).toUpperCase()
  const value = readMoment(text)
  return value === undefined ? undefined : { value, text }
}

/** Makes a range from its ends; undefined if one does not fit the type, or both are missing. */
export const makeRange = (
  type: 'number' | 'date',
  from: string | number | undefined,
  to: string | number | undefined,
): ValueRange | undefined => {
  const lower = from === undefined ? undefined : readRangeEnd(type, from)
  const upper = to === undefined ? undefined : readRangeEnd(type, to)
  if ((from !== undefined && !lower) || (to !== undefined && !upper) || (!lower && !upper)) return undefined
  return {
    label: `${lower?.text ?? ''}..${upper?.text ?? ''}`,
    ...(lower && { from: lower.value }),
    ...(upper && { to: upper.value }),
  }
}

/** Reads a range such as `10..50`; undefined for other texts. A range whose end comes before its start is empty, but a range. */
export const readRange = (type: 'number' | 'date', text: string): ValueRange | undefined => {
  const dots = text.indexOf('..')
  if (dots < 0) return undefined
  const [from, to] = [text.slice(0, dots), text.slice(dots + 2)]
  return makeRange(type, from === '' ? undefined : from, to === '' ? undefined : to)
}

/** Compares the ends of ranges: numbers, or dates by milliseconds. */
export const compareEnds = (a: string | number, b: string | number): number => sortNumber(a) - sortNumber(b)

const sortNumber = (end: string | number): number => (typeof end === 'number' ? end : Date.parse(end))

/**
 * Returns the range of a year, month, day or hour in UTC, such as `2024`. With `week`, a day stands for its week, which starts on Monday.
 * Undefined for other texts, also for date-times. The first and the last interval that dates can have are open to that side.
 */
export const readPeriod = (text: string, interval?: DateInterval): ValueRange | undefined => {
  const parts = shortDate.exec(text)
  const moment = parts && readMoment(text)
  if (!parts || !moment) return undefined
  const start = new Date(moment)
  const length = parts[4]
    ? 'hour'
    : parts[3]
      ? interval === 'week'
        ? 'week'
        : 'day'
      : parts[2]
        ? 'month'
        : 'year'
  if (length === 'week') start.setUTCDate(start.getUTCDate() - ((start.getUTCDay() + 6) % 7))
  const end = new Date(start)
  if (length === 'year') end.setUTCFullYear(end.getUTCFullYear() + 1)
  else if (length === 'month') end.setUTCMonth(end.getUTCMonth() + 1)
  else if (length === 'hour') end.setUTCHours(end.getUTCHours() + 1)
  else end.setUTCDate(end.getUTCDate() + (length === 'week' ? 7 : 1))
  const [from, to] = [start, end].map(date => date.toISOString().replace('.000Z', 'Z'))
  const isFirst = start.getUTCFullYear() < 0
  return {
    label: length === 'week' ? (isFirst ? firstMoment : (from ?? '')).slice(0, 10) : text.toUpperCase(),
    ...(from !== undefined && !isFirst && { from }),
    ...(to !== undefined && end.getUTCFullYear() <= 9999 && { to }),
  }
}
