/**
 * Reads values of documents for a declared field (workspace-file.md, What a field takes), and finds them by the paths of nested objects. Pure:
 * the importer and the checks of a sample use it.
 */
import { currency, currencyName } from './currencies.ts'
import { compileDateFormat, type DateReader } from './date-format.ts'
import { makeRawNumber, readRawNumber, toNumber } from './exact-json.ts'
import { readLargeNumber } from './exact-number.ts'
import { isDate, readFieldValue } from './field-value.ts'
import { isJsonObject } from './read-path.ts'
import type { Field, FieldType } from './workspace-file.ts'

/** Reads one value that is not null as engines index it; undefined if the field does not take it. */
export type ValueReader = (value: unknown) => string | number | boolean | object | undefined

/** Limit of Lucene for a term, the lowest of the engines. */
export const keywordBytesMax = 32_766
const utf8 = new TextEncoder()
const fitsKeyword = (text: string): boolean =>
  text.length <= keywordBytesMax / 3 || utf8.encode(text).length <= keywordBytesMax

/** Texts that stand for no value where a table has them in columns of these types, in any letter case. */
const emptyWord = /^(?:n\/?a|nan|null|-)?$/i
const typesWithEmptyWords: readonly FieldType[] = ['number', 'date', 'boolean', 'geo']

/** Whether the text stands for no value in a field of the type. */
export const isEmptyWord = (type: FieldType, text: string): boolean =>
  typesWithEmptyWords.includes(type) && emptyWord.test(text.trim())

/** Compiles the reader of a field's values. Vectors have their own. */
export const compileValueReader = (field: Exclude<Field, { type: 'vector' }>): ValueReader => {
  switch (field.type) {
    case 'text':
      return readText
    case 'keyword':
      return value => {
        const text = readText(value)
        return text !== undefined && fitsKeyword(text) ? text : undefined
      }
    case 'number':
      return field.decimal === undefined ? readNumber : numberReaders[field.decimal]
    case 'boolean':
      return value => (typeof value === 'boolean' ? value : undefined)
    case 'date':
      return compileDates(field.formats ?? [])
    case 'geo':
      return field.pairs === 'lat-lon' ? readLatitudeFirst : readGeo
    case 'object':
      return value => (isJsonObject(value) ? value : undefined)
  }
}

const readText = (value: unknown): string | undefined => {
  if (typeof value === 'string') return value
  if (typeof value === 'object') return readRawNumber(value)
  return typeof value === 'boolean' || Number.isFinite(value) ? String(value) : undefined
}

/** Returns digits where a number would lose some: those that were sent, if possible. */
const readNumber = (sent: unknown): number | object | undefined => {
  const value = toNumber(sent)
  if (typeof value === 'number') return keepDigits(sent) ?? (Number.isFinite(value) ? value : undefined)
  const number = typeof value === 'string' ? readFieldValue('number', value.trim()) : undefined
  if (typeof number === 'string') return makeRawNumber(number)
  return typeof number === 'number' ? number : undefined
}

const keepDigits = (sent: unknown): object | number | undefined => {
  const digits = typeof sent === 'object' ? readRawNumber(sent) : undefined
  const large = digits === undefined ? undefined : readLargeNumber(digits)
  if (large === undefined) return undefined
  return large === digits && typeof sent === 'object' ? (sent ?? undefined) : makeRawNumber(large)
}

const readFloat = (text: string | undefined): number | undefined => {
  const number = toNumber(readNumber(text))
  return typeof number === 'number' ? number : undefined
}

/** A currency before or after a number, or a percent sign after it. Other letters are those of codes. */
const unitPattern = new RegExp(
  String.raw`^([+-]?)\s*(?:${currency}\s*|${currencyName}\s+)|\s*(?:${currency}|%)$|\s+${currencyName}$`,
  'gu',
)

/** Accounts write numbers below 0 in parentheses: `(1,234.50)`, `$(20)`, `(€ 20)`. */
const readNegative = (text: string): string => text.replace(/^\(([^()+-]+)\)$/, '-$1')

/** Returns the number as people write it, without a currency, a percent sign or parentheses: `$1,234.50` gives `1,234.50`, and `(5%)` gives `-5`. */
export const stripUnit = (text: string): string =>
  readNegative(readNegative(text.trim()).replace(unitPattern, '$1'))

/** Thousands have commas or points, blanks or none: `8.000.000`, `6,1`, `$1,234.50`. `0,107` has no thousands, because no number begins with a 0. */
const createNumberReader = (pattern: RegExp, thousands: RegExp, decimal: string) => (value: unknown) => {
  if (typeof value !== 'string') return readNumber(value)
  const text = stripUnit(value)
  return readNumber(pattern.test(text) ? text.replaceAll(thousands, '').replace(decimal, '.') : text)
}
const numberPatterns = {
  ',': /^[+-]?(?:[1-9]\d{0,2}(?:[.\s\u2019']\d{3})+|\d+)(?:,\d+)?$/,
  '.': /^[+-]?(?:[1-9]\d{0,2}(?:[,\s\u2019']\d{3})+|\d+)(?:\.\d+)?$/,
} as const
const numberReaders = {
  ',': createNumberReader(numberPatterns[','], /[.\s\u2019']/g, ','),
  '.': createNumberReader(numberPatterns['.'], /[,\s\u2019']/g, '.'),
} as const

/** Whether people who write this decimal sign may write the text for a number: `1.200` with either sign, `9,90` with a comma, `0.500` with a point. */
export const isNumberWith = (decimal: ',' | '.', text: string): boolean =>
  numberPatterns[decimal].test(stripUnit(text))

const compileDates = (formats: readonly string[]): ValueReader => {
  const readers = formats
    .map(compileDateFormat)
    .filter((reader): reader is DateReader => reader !== undefined)
  return sent => {
    const value = toNumber(sent)
    if (typeof value === 'string' && isDate(value)) return value
    if (typeof value !== 'string' && typeof value !== 'number') return undefined
    for (const reader of readers) {
      const date = reader(value)
      if (date !== undefined && isDate(date)) return date
    }
    return undefined
  }
}

const makePoint = (lat: number | undefined, lon: number | undefined): object | undefined =>
  lat !== undefined && lon !== undefined && Math.abs(lat) <= 90 && Math.abs(lon) <= 180
    ? { lat, lon }
    : undefined

const wktPoint = /^\s*POINT\s*\(\s*(\S+)\s+(\S+)\s*\)\s*$/i

/** Reads `{lat, lon}`, `{lat, lng}`, `[lon, lat]`, `"lat,lon"`, and points of GeoJSON (RFC 7946, section 3.1.2) and WKT. */
const readGeo: ValueReader = value => {
  if (typeof value === 'string') {
    const [, x, y] = wktPoint.exec(value) ?? []
    if (x !== undefined) return makePoint(readFloat(y), readFloat(x))
    const [lat, lon, ...more] = value.split(',', 3)
    return more.length === 0 ? makePoint(readFloat(lat), readFloat(lon)) : undefined
  }
  if (isPosition(value)) return makePoint(readPlainNumber(value[1]), readPlainNumber(value[0]))
  if (!isJsonObject(value)) return undefined
  if (value.type === 'Point' && Array.isArray(value.coordinates))
    return readGeo(value.coordinates.slice(0, 2))
  return makePoint(readPlainNumber(value.lat), readPlainNumber(value.lon ?? value.lng))
}

/** Reads `[lat, lon]`, and all other forms as {@link readGeo} does. */
const readLatitudeFirst: ValueReader = value => readGeo(isPosition(value) ? [value[1], value[0]] : value)

const readPlainNumber = (sent: unknown): number | undefined => {
  const value = toNumber(sent)
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/** Whether the value is one place, two numbers, and no list of places. */
const isPosition = (value: unknown): value is [unknown, unknown] =>
  Array.isArray(value) && value.length === 2 && value.every(part => typeof toNumber(part) === 'number')

/** Whether a list is one value of the field. */
export const isOneValue = (type: FieldType, value: unknown): boolean => type === 'geo' && isPosition(value)
