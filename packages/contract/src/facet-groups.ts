/**
 * Ranges and intervals of facets (query-service.md, facet). A range is written `10..50`, `..10` or `50..`: `from` is inclusive, `to`
 * exclusive. Dates may be shortened to a year, a month, a day or an hour: `2024`, `2024-05`, `2024-05-13`, `2024-05-13T10`. They begin in UTC or
 * in the time zone of the facet. An hour that clocks repeat has its offset: `2024-10-27T02+01:00`.
 */
import { requirementTexts } from './fault-texts.ts'
import { isDate, plainDate, readFieldValue } from './field-value.ts'
import { firstMoment, localHours, offsetAt, type ZoneOffsets } from './time-zone.ts'

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
const firstDate = '0000-01-01T00:00:00Z'
const firstSecond = Date.parse(firstDate) / 1000
const lastSecond = Date.parse('9999-12-31T23:59:59Z') / 1000

const dateTime = (seconds: number): string => new Date(1000 * seconds).toISOString().replace('.000Z', 'Z')

/** Returns the first moment of a date, which may be shortened, as an RFC 3339 date-time; undefined for other texts. */
export const readMoment = (text: string, zone?: ZoneOffsets): string | undefined => {
  const parts = shortDate.exec(text)
  if (parts && zone) {
    const local = readMoment(text)
    const moment = local === undefined ? undefined : firstMoment(zone, Date.parse(local) / 1000)
    return moment === undefined ? undefined : dateTime(Math.max(firstSecond, Math.min(lastSecond, moment)))
  }
  const moment = parts
    ? `${parts[1]}-${parts[2] ?? '01'}-${parts[3] ?? '01'}T${parts[4] ?? '00'}:00:00Z`
    : plainDate(text)
  return isDate(moment) ? moment : undefined
}

/** Reads an end of a range; undefined if it does not fit the type. A number of the workspace file may be a year. */
export const readRangeEnd = (
  type: 'number' | 'date',
  end: string | number,
  zone?: ZoneOffsets,
): { value: string | number; text: string } | undefined => {
  if (type === 'number') {
    const number = readFieldValue('number', String(end))
    if (typeof number === 'string') return { value: number, text: number }
    return typeof number === 'number' ? { value: number + 0, text: String(number + 0) } : undefined
  }
  const text = (typeof end === 'number' ? String(end).padStart(4, '0') : end).toUpperCase()
  const value = readMoment(text, zone)
  return value === undefined ? undefined : { value, text }
}

/** Makes a range from its ends; undefined if one does not fit the type, or both are missing. */
export const makeRange = (
  type: 'number' | 'date',
  from: string | number | undefined,
  to: string | number | undefined,
  zone?: ZoneOffsets,
): ValueRange | undefined => {
  const lower = from === undefined ? undefined : readRangeEnd(type, from, zone)
  const upper = to === undefined ? undefined : readRangeEnd(type, to, zone)
  if ((from !== undefined && !lower) || (to !== undefined && !upper) || (!lower && !upper)) return undefined
  return {
    label: `${lower?.text ?? ''}..${upper?.text ?? ''}`,
    ...(lower && { from: lower.value }),
    ...(upper && { to: upper.value }),
  }
}

/** Reads a range such as `10..50`; undefined for other texts. A range whose end comes before its start is empty, but a range. */
export const readRange = (
  type: 'number' | 'date',
  text: string,
  zone?: ZoneOffsets,
): ValueRange | undefined => {
  const dots = text.indexOf('..')
  if (dots < 0) return undefined
  const [from, to] = [text.slice(0, dots), text.slice(dots + 2)]
  return makeRange(type, from === '' ? undefined : from, to === '' ? undefined : to, zone)
}

/** Compares the ends of ranges: numbers, or dates by milliseconds. */
export const compareEnds = (a: string | number, b: string | number): number => sortNumber(a) - sortNumber(b)

const sortNumber = (end: string | number): number => (typeof end === 'number' ? end : Date.parse(end))

/**
 * Returns the range of a year, month, day or hour in UTC, such as `2024`. With `week`, a day stands for its week, which starts on Monday.
 * Undefined for other texts, also for date-times. The first and the last interval that dates can have are open to that side.
 */
export const readPeriod = (
  text: string,
  interval?: DateInterval,
  zone?: ZoneOffsets,
): ValueRange | undefined => {
  if (zone) return readLocalPeriod(text, interval, zone)
  const parts = shortDate.exec(text)
  const moment = parts && readMoment(text)
  if (!parts || !moment) return undefined
  const start = new Date(moment)
  const length = readPeriodLength(parts, interval)
  if (length === 'week') start.setUTCDate(start.getUTCDate() - ((start.getUTCDay() + 6) % 7))
  const end = addPeriod(start, length)
  const [from, to] = [start, end].map(date => date.toISOString().replace('.000Z', 'Z'))
  const isFirst = start.getUTCFullYear() < 0
  return {
    label: length === 'week' ? (isFirst ? firstDate : (from ?? '')).slice(0, 10) : text.toUpperCase(),
    ...(from !== undefined && !isFirst && { from }),
    ...(to !== undefined && end.getUTCFullYear() <= 9999 && { to }),
  }
}

type PeriodLength = 'year' | 'month' | 'week' | 'day' | 'hour'

const readPeriodLength = (
  [, , month, day, hour]: readonly (string | undefined)[],
  interval: DateInterval | undefined,
): PeriodLength => {
  if (hour) return 'hour'
  if (day) return interval === 'week' ? 'week' : 'day'
  return month ? 'month' : 'year'
}

const addPeriod = (start: Date, length: PeriodLength): Date => {
  const end = new Date(start)
  if (length === 'year') end.setUTCFullYear(end.getUTCFullYear() + 1)
  else if (length === 'month') end.setUTCMonth(end.getUTCMonth() + 1)
  else if (length === 'hour') end.setUTCHours(end.getUTCHours() + 1)
  else end.setUTCDate(end.getUTCDate() + (length === 'week' ? 7 : 1))
  return end
}

const localHour = /^(\d{4}-\d{2}-\d{2}T\d{2})([+-])(\d{2}):(\d{2})(?::(\d{2}))?$/i

/** Returns the range of a period that begins in the zone. An hour that clocks repeat is both hours, or the one with the given offset. */
const readLocalPeriod = (
  text: string,
  interval: DateInterval | undefined,
  zone: ZoneOffsets,
): ValueRange | undefined => {
  const [, hour, sign, hours, minutes, seconds = 0] = localHour.exec(text) ?? []
  const local = readPeriod(hour ?? text, interval)
  if (!local) return undefined
  const toSeconds = (end: string | number | undefined) =>
    end === undefined ? undefined : Date.parse(String(end)) / 1000
  const [from, to] = [toSeconds(local.from), toSeconds(local.to)]
  const isHour = local.label.length === hourLength
  if (isHour) {
    const offset = (sign === '-' ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds))
    const every = localHours(zone, from ?? 0)
    const chosen = hour === undefined ? every : every.filter(one => one.offset === offset)
    const moments = { from: chosen[0]?.from ?? from ?? 0, to: chosen.at(-1)?.to ?? from ?? 0 }
    const label = hour === undefined ? local.label : text.toUpperCase()
    return rangeOfMoments(
      label,
      from === firstSecond ? undefined : moments.from,
      to === undefined ? undefined : moments.to,
    )
  }
  return rangeOfMoments(
    local.label,
    from === undefined || from <= firstSecond ? undefined : firstMoment(zone, from),
    to === undefined ? undefined : firstMoment(zone, to),
  )
}

const hourLength = '2024-05-13T10'.length

const rangeOfMoments = (label: string, from: number | undefined, to: number | undefined): ValueRange => ({
  label,
  ...(from !== undefined && { from: dateTime(Math.max(from, firstSecond)) }),
  ...(to !== undefined && to <= lastSecond && { to: dateTime(to) }),
})

const labelLengths = { year: 4, month: 7, week: 10, day: 10, hour: 13 } as const

/**
 * Returns the label of an interval of dates, by its key (`calendar` of the engines' facet.ts). {@link readPeriod} reads it as the same
 * interval.
 */
export const labelPeriod = (key: number, unit: DateInterval, zone?: ZoneOffsets): string => {
  if (unit !== 'hour' || !zone) return shorten(key, unit)
  const offset = offsetAt(zone, key)
  const local = Math.floor((key + offset) / 3600) * 3600
  const label = shorten(local, unit)
  return localHours(zone, local).length > 1 ? label + offsetText(offset) : label
}

/** A week may start before the first date. */
const shorten = (seconds: number, unit: DateInterval): string =>
  new Date(1000 * Math.max(seconds, firstSecond)).toISOString().slice(0, labelLengths[unit])

const offsetText = (offset: number): string => {
  const size = Math.abs(offset)
  const parts = [Math.floor(size / 3600), Math.floor(size / 60) % 60, size % 60]
  const text = parts.map(part => String(part).padStart(2, '0')).join(':')
  return (offset < 0 ? '-' : '+') + (text.endsWith(':00') ? text.slice(0, -3) : text)
}
