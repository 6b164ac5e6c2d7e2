/** Reads dates as people write them, by a format (workspace-file.md, What a field takes). Pure. */

/** Formats that are no pattern: a number, or a text of digits. */
export const epochFormats = ['epoch-seconds', 'epoch-milliseconds'] as const

const monthNames = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
]

/** Patterns of the letters of a format, by the number of their repetitions. */
const patternsByLetter: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  y: { 1: '\\d{4}', 2: '\\d{2}', 4: '\\d{4}' },
  M: { 1: '\\d{1,2}', 2: '\\d{1,2}', 3: '[A-Za-z]{3,9}\\.?', 4: '[A-Za-z]{3,9}\\.?' },
  d: { 1: '\\d{1,2}', 2: '\\d{1,2}' },
  H: { 1: '\\d{1,2}', 2: '\\d{1,2}' },
  m: { 1: '\\d{1,2}', 2: '\\d{1,2}' },
  s: { 1: '\\d{1,2}', 2: '\\d{1,2}' },
  a: { 1: '[AaPp]\\.?[Mm]\\.?' },
}
const zonePattern = '(?: ?([Zz]|[+-]\\d{2}:?\\d{2}))?'
/** Longer texts are no dates. */
const dateCharactersMax = 200
/** Two digits from this one on are of the 20th century. */
const firstYearOf1900 = 69

/** Reads a value as RFC 3339; undefined if it does not have the format, or is no day. */
export type DateReader = (value: string | number) => string | undefined

/**
 * Compiles a format: `epoch-seconds`, `epoch-milliseconds`, or a pattern of Unicode LDML with the letters `y M d H m s a`, such as `dd.MM.yyyy`.
 * Month names are English, one digit may stand for two, and text in single quotes stands for itself. A time without a zone is UTC. Returns
 * undefined for other formats.
 */
export const compileDateFormat = (format: string): DateReader | undefined => {
  if (format === 'epoch-seconds') return value => readEpoch(value, 1000)
  if (format === 'epoch-milliseconds') return value => readEpoch(value, 1)
  const compiled = compilePattern(format)
  if (!compiled || !isCompleteFormat(compiled.letters)) return undefined
  const { letters, pattern } = compiled
  const zone = letters.some(token => token.startsWith('H')) ? zonePattern : ''
  // One blank stands for several, in the format and in the value: a pattern with several in a row could take very long to fail.
  const regExp = new RegExp(`^${collapseBlanks(pattern)}${zone}$`)
  return value => {
    const isText = typeof value === 'string' && value.length <= dateCharactersMax
    const parts = isText ? regExp.exec(collapseBlanks(value)) : null
    return parts === null ? undefined : writeDate(letters, parts.slice(1))
  }
}

/** Returns the groups of letters, and a pattern with a group for each. Undefined if one is unknown or repeated. */
const compilePattern = (format: string): { letters: string[]; pattern: string } | undefined => {
  const letters: string[] = []
  let pattern = ''
  for (const [token] of format.matchAll(/'(?:[^']|'')*'|([A-Za-z])\1*|\s+|[\s\S]/g)) {
    const letter = token.charAt(0)
    if (letter === "'" && token.length > 1)
      pattern += escapePattern(token === "''" ? "'" : token.slice(1, -1).replaceAll("''", "'"))
    else if (/[A-Za-z]/.test(letter)) {
      const part = Object.hasOwn(patternsByLetter, letter)
        ? patternsByLetter[letter]?.[token.length]
        : undefined
      if (part === undefined || letters.some(other => other.startsWith(letter))) return undefined
      letters.push(token)
      pattern += `(${part})`
    } else pattern += escapePattern(token)
  }
  return { letters, pattern }
}

/** A day, and no part of a time without the larger one. */
const isCompleteFormat = (letters: readonly string[]): boolean => {
  const has = (letter: string) => letters.some(token => token.startsWith(letter))
  const isDay = has('y') && has('M') && has('d')
  const isTime = has('H') ? has('m') : !has('m') && !has('a')
  return isDay && isTime && (!has('s') || has('m'))
}

const collapseBlanks = (text: string): string => text.trim().replace(/\s+/g, ' ')

const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

const writeDate = (
  letters: readonly string[],
  parts: readonly (string | undefined)[],
): string | undefined => {
  let [year, month, day, hour, minute, second] = [0, 0, 0, 0, 0, 0]
  let half: string | undefined
  letters.forEach((token, index) => {
    const text = parts[index] ?? ''
    const number = Number(text)
    switch (token.charAt(0)) {
      case 'y':
        year = token.length === 2 ? number + (number >= firstYearOf1900 ? 1900 : 2000) : number
        break
      case 'M':
        month = token.length > 2 ? readMonth(text) : number
        break
      case 'd':
        day = number
        break
      case 'H':
        hour = number
        break
      case 'm':
        minute = number
        break
      case 's':
        second = number
        break
      case 'a':
        half = text.charAt(0).toLowerCase()
    }
  })
  if (half !== undefined) {
    if (hour < 1 || hour > 12) return undefined
    hour = (hour % 12) + (half === 'p' ? 12 : 0)
  }
  const date = `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`
  if (!letters.some(token => token.startsWith('H'))) return date
  const zone = (parts[letters.length] ?? 'Z').toUpperCase().replace(/^([+-]\d{2})(\d{2})$/, '$1:$2')
  return `${date}T${pad(hour, 2)}:${pad(minute, 2)}:${pad(second, 2)}${zone}`
}

/** Returns the number of the month with this name, or its beginning of three or more letters; 0 if there is none. */
const readMonth = (text: string): number => {
  const name = text.toLowerCase().replace('.', '')
  return (
    monthNames.findIndex(month => month.startsWith(name) || (name === 'sept' && month === 'september')) + 1
  )
}

const pad = (number: number, length: number): string => String(number).padStart(length, '0')

const readEpoch = (value: string | number, unitMs: number): string | undefined => {
  const number =
    typeof value === 'number' ? value : /^\s*-?\d+(?:\.\d+)?\s*$/.test(value) ? Number(value) : NaN
  const date = new Date(number * unitMs)
  return Number.isNaN(date.getTime()) || date.getUTCFullYear() < 0 || date.getUTCFullYear() > 9999
    ? undefined
    : date.toISOString()
}
