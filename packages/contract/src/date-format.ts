/** Reads dates as people write them, by a format (workspace-file.md, What a field takes). Pure. */
import { isWeekdayName, readMonthName } from './date-names.ts'

/** Formats that are no pattern: a number, or a text of digits. */
export const epochFormats = ['epoch-seconds', 'epoch-milliseconds'] as const

/** Patterns of the letters of a format, by the number of their repetitions. */
const patternsByLetter: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  y: { 1: '\\d{4}', 2: '\\d{2}', 4: '\\d{4}' },
  M: { 1: '\\d{1,2}', 2: '\\d{1,2}', 3: '\\p{L}{3,15}\\.?', 4: '\\p{L}{3,15}\\.?' },
  d: { 1: '\\d{1,2}', 2: '\\d{1,2}' },
  H: { 1: '\\d{1,2}', 2: '\\d{1,2}' },
  m: { 1: '\\d{1,2}', 2: '\\d{1,2}' },
  s: { 1: '\\d{1,2}(?:[.,]\\d{1,9})?', 2: '\\d{1,2}(?:[.,]\\d{1,9})?' },
  a: { 1: '[AaPp]\\.?[Mm]\\.?' },
}
/** An offset may have its name behind it, as in e-mails (RFC 5322, section 3.3). */
const zonePattern = '(?: ?(?<zone>[Zz]|GMT|UTC|UT|[+-]\\d{2}(?::?\\d{2})?)(?: ?\\([A-Z]{1,5}\\))?)?'
/** After a day before the name of its month: `1st May`, `1er mai`. */
const ordinalPattern = '(?:st|nd|rd|th|er|º)?'
const weekdayPattern = /^(\p{L}[\p{L}\p{M}-]+)\.?,? (?=[\p{L}\d])/u
/** Longer texts are no dates. */
const dateCharactersMax = 200
/** Two digits from this one on are of the 20th century. */
const firstYearOf1900 = 69

/** Reads a value as RFC 3339; undefined if it does not have the format, or is no day. */
export type DateReader = (value: string | number) => string | undefined

/**
 * Compiles a format: `epoch-seconds`, `epoch-milliseconds`, or a pattern of Unicode LDML with the letters `y M d H m s a`, such as `dd.MM.yyyy`.
 * One digit may stand for two, except between other digits as in `yyyyMMdd`, and text in single quotes stands for itself. A value may begin with
 * the name of a weekday, and its seconds may have decimals. A time without a zone is UTC. A month without a day is its first day. Returns undefined for other
 * formats.
 */
export const compileDateFormat = (format: string): DateReader | undefined => {
  if (format === 'epoch-seconds') return value => readEpoch(value, 1000)
  if (format === 'epoch-milliseconds') return value => readEpoch(value, 1)
  const compiled = compilePattern(format)
  if (!compiled || !isCompleteFormat(compiled.letters)) return undefined
  const { letters, pattern } = compiled
  // One blank stands for several, in the format and in the value: a pattern with several in a row could take very long to fail.
  const regExp = new RegExp(`^${collapseBlanks(pattern)}$`, 'u')
  return value => {
    const text = collapseBlanks(String(value).slice(0, dateCharactersMax + 1))
    if (text.length > dateCharactersMax) return undefined
    const groups = (regExp.exec(text) ?? execAfterWeekday(regExp, text))?.groups
    return groups && writeDate(letters, groups)
  }
}

const execAfterWeekday = (regExp: RegExp, text: string): RegExpExecArray | null => {
  const [beginning, name] = weekdayPattern.exec(text) ?? []
  return beginning !== undefined && name !== undefined && isWeekdayName(name)
    ? regExp.exec(text.slice(beginning.length))
    : null
}

/** Returns the groups of letters, and a pattern with a group for each. Undefined if one is unknown or repeated. */
const compilePattern = (format: string): { letters: string[]; pattern: string } | undefined => {
  const tokens = [...format.matchAll(/'(?:[^']|'')*'|([A-Za-z])\1*|\s+|[\s\S]/g)].map(([token]) => token)
  const letters = tokens.filter(token => /^[A-Za-z]/.test(token))
  const firstLetters = new Set(letters.map(token => token.charAt(0)))
  const hasUnknown = letters.some(token => findPart(token) === undefined)
  if (hasUnknown || firstLetters.size < letters.length) return undefined
  const pattern = tokens.map((token, index) => {
    if (/^'./.test(token)) return escapePattern(readQuoted(token))
    return letters.includes(token) ? makeGroup(tokens, index) : escapePattern(token)
  })
  return { letters, pattern: pattern.join('') }
}

const findPart = (token: string): string | undefined =>
  Object.hasOwn(patternsByLetter, token.charAt(0))
    ? patternsByLetter[token.charAt(0)]?.[token.length]
    : undefined

const readQuoted = (token: string): string =>
  token === "''" ? "'" : token.slice(1, -1).replaceAll("''", "'")

const makeGroup = (tokens: readonly string[], index: number): string => {
  const token = tokens[index] ?? ''
  const part = findPart(token) ?? ''
  const isBesideDigits = [tokens[index - 1], tokens[index + 1]].some(other => /^[yMdHms]/.test(other ?? ''))
  const group = `(?<${token.charAt(0)}>${isBesideDigits ? part.replace('{1,2}', '{2}') : part})`
  const isOrdinal = token.startsWith('d') && tokens.some(other => other.startsWith('MMM'))
  const isEndOfTime = index === tokens.findLastIndex(other => /^[Hmsa]/.test(other))
  return `${group}${isOrdinal ? ordinalPattern : ''}${isEndOfTime ? zonePattern : ''}`
}

/** A day or a month, and no part of a time without the larger one. */
const isCompleteFormat = (letters: readonly string[]): boolean => {
  const has = (letter: string) => letters.some(token => token.startsWith(letter))
  const isMonth = has('y') && has('M')
  const isTime = has('H') ? has('d') && has('m') : !has('m') && !has('a')
  return isMonth && isTime && (!has('s') || has('m'))
}

const collapseBlanks = (text: string): string => text.trim().replace(/\s+/g, ' ')

const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')

type Groups = Readonly<Record<string, string | undefined>>

const writeDate = (letters: readonly string[], { y, M, d, H, m, s, a, zone }: Groups): string | undefined => {
  const year = Number(y) + (y?.length === 2 ? (Number(y) >= firstYearOf1900 ? 1900 : 2000) : 0)
  const month = letters.some(token => /^MMM/.test(token)) ? readMonthName(M ?? '') : Number(M)
  if (month === 0) return undefined
  const date = `${pad(year, 4)}-${pad(month, 2)}-${pad(Number(d ?? 1), 2)}`
  if (H === undefined) return date
  let hour = Number(H)
  if (a !== undefined) {
    if (hour < 1 || hour > 12) return undefined
    hour = (hour % 12) + (/^p/i.test(a) ? 12 : 0)
  }
  const [second, decimals] = (s ?? '0').split(/[.,]/)
  const time = `${pad(hour, 2)}:${pad(Number(m), 2)}:${pad(Number(second), 2)}`
  return `${date}T${time}${decimals === undefined ? '' : `.${decimals}`}${writeZone(zone)}`
}

const writeZone = (zone = 'Z'): string =>
  /^[+-]/.test(zone) ? `${zone.slice(0, 3)}:${zone.slice(3).replace(':', '') || '00'}` : 'Z'

const pad = (number: number, length: number): string => String(number).padStart(length, '0')

const readEpoch = (value: string | number, unitMs: number): string | undefined => {
  const number =
    typeof value === 'number' ? value : /^\s*-?\d+(?:\.\d+)?\s*$/.test(value) ? Number(value) : NaN
  const date = new Date(number * unitMs)
  return Number.isNaN(date.getTime()) || date.getUTCFullYear() < 0 || date.getUTCFullYear() > 9999
    ? undefined
    : date.toISOString()
}
