import { dateLocale } from '#i18n/translate.ts'
import { writeBoolean } from './boolean-words.ts'
import { plainText } from './plain-text.ts'

/**
 * Writes one value of a document as a person does: yes and no, a text without tags of HTML, a date as in `24 Dec 2026, 19:30 UTC+1`, and a
 * place as latitude and longitude. Other objects are JSON.
 */
export const describeValue = (value: unknown): string => {
  if (typeof value === 'boolean') return writeBoolean(value) ?? ''
  if (typeof value === 'string') return describeDate(value) ?? plainText(value)
  if (isPlace(value)) return `${value.lat}, ${value.lon}`
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const dayFormat = new Intl.DateTimeFormat(dateLocale, { dateStyle: 'medium', timeZone: 'UTC' })
const minuteFormat = new Intl.DateTimeFormat(dateLocale, {
  dateStyle: 'medium',
  timeStyle: 'short',
  timeZone: 'UTC',
})
const secondFormat = new Intl.DateTimeFormat(dateLocale, {
  dateStyle: 'medium',
  timeStyle: 'medium',
  timeZone: 'UTC',
})

const datePattern =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d)(?:\.\d+)?)?(?: ?(Z|UTC|[+-]\d\d:?\d\d))?)?$/i

/**
 * Writes a date, or a moment with the clock of its own zone and the zone: an event begins at 19:30 where it is, and a range of times is in UTC.
 * Undefined for other texts.
 */
const describeDate = (text: string): string | undefined => {
  const [, day, time, seconds = '00', zone = ''] = datePattern.exec(text) ?? []
  if (day === undefined) return undefined
  const moment = new Date(`${day}T${time ?? '00:00'}:${seconds}Z`)
  // The 30th of February is the 2nd of March.
  if (Number.isNaN(moment.getTime()) || !moment.toISOString().startsWith(day)) return undefined
  const isUtc = /^(Z|UTC)$/i.test(zone)
  // Dates are kept with a midnight.
  if (time === undefined || (isUtc && time === '00:00' && seconds === '00')) return dayFormat.format(moment)
  const clock = (seconds === '00' ? minuteFormat : secondFormat).format(moment)
  return zone === '' ? clock : `${clock} UTC${writeOffset(zone)}`
}

/** `+0200` is `+2`, and `+05:30` stays. Nothing for UTC itself. */
const writeOffset = (zone: string): string => {
  const [, sign, hours, minutes = ''] = /^([+-])(\d\d):?(\d\d)$/.exec(zone) ?? []
  if (sign === undefined || Number(hours) + Number(minutes) === 0) return ''
  return `${sign}${Number(hours)}${minutes === '00' ? '' : `:${minutes}`}`
}

const isPlace = (value: unknown): value is { lat: number; lon: number } =>
  typeof value === 'object' &&
  value !== null &&
  'lat' in value &&
  'lon' in value &&
  Object.keys(value).length === 2
