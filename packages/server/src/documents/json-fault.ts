/** Finds where a text stops being JSON (RFC 8259), so that people can correct their file there. */
import type { Line } from './lines.ts'

export interface JsonFault {
  /** From 1. */
  line: number
  /** Character of the line, from 1. */
  column: number
  /** Names the character that was found, and what is needed in its place. */
  message: string
}

export type LineFault = Omit<JsonFault, 'column'> & { column?: number }

/** Sticky patterns of the parts of a text. */
const blanks = /[ \t\n\r]*/y
/** May stand before the objects of a sequence (RFC 7464). */
const recordSeparator = 0x1e
const escapeSequence = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const literal = /(?:true|false|null)\b/y

/** Returns the position after the text in quotes that begins here; undefined if it is none, is not closed, or has other characters. */
const findStringEnd = (text: string, start: number): number | undefined => {
  if (text[start] !== '"') return undefined
  for (let position = start + 1; position < text.length; ) {
    const code = text.charCodeAt(position)
    if (text[position] === '"') return position + 1
    if (code < 0x20) return undefined
    if (text[position] === '\\') {
      escapeSequence.lastIndex = position
      if (!escapeSequence.test(text)) return undefined
      position = escapeSequence.lastIndex
    } else position += 1
  }
  return undefined
}

type Requirement = 'value' | 'item' | 'name' | 'first-name' | 'colon' | 'separator'

/** Returns the first fault of a text that may be several objects, one after the other; undefined if it has none. */
export const findJsonFault = (text: string): JsonFault | undefined => {
  /** The ends of the lists and objects that are open. */
  const ends: ('}' | ']')[] = []
  let requirement: Requirement = 'value'
  let position = text.startsWith('\ufeff') ? 1 : 0
  const skip = (pattern: RegExp): boolean => {
    pattern.lastIndex = position
    const isFound = pattern.test(text)
    if (isFound) position = pattern.lastIndex
    return isFound
  }
  const skipString = (): boolean => {
    const end = findStringEnd(text, position)
    position = end ?? position
    return end !== undefined
  }
  /** Objects of a sequence need no commas between them. */
  const skipBetween = () => {
    for (skip(blanks); text[position] === ',' || text.charCodeAt(position) === recordSeparator; skip(blanks))
      position += 1
  }
  const open = (end: '}' | ']'): Requirement => {
    position += 1
    ends.push(end)
    return end === '}' ? 'first-name' : 'item'
  }
  const close = (): Requirement => {
    position += 1
    ends.pop()
    return 'separator'
  }
  const takeValue = (): Requirement | undefined => {
    if (text[position] === '{') return open('}')
    if (text[position] === '[') return open(']')
    return skipString() || skip(number) || skip(literal) ? 'separator' : undefined
  }
  const takeSeparator = (): Requirement | undefined => {
    if (text[position] === ends.at(-1)) return close()
    if (text[position] !== ',') return undefined
    position += 1
    return ends.at(-1) === '}' ? 'name' : 'value'
  }
  const takeColon = (): Requirement | undefined => {
    if (text[position] !== ':') return undefined
    position += 1
    return 'value'
  }
  const steps: Readonly<Record<Requirement, () => Requirement | undefined>> = {
    value: takeValue,
    item: () => (text[position] === ']' ? close() : takeValue()),
    'first-name': () => (text[position] === '}' ? close() : steps.name()),
    name: () => (skipString() ? 'colon' : undefined),
    colon: takeColon,
    separator: takeSeparator,
  }
  for (;;) {
    const isBetween: boolean = requirement === 'separator' && ends.length === 0
    if (isBetween) skipBetween()
    else skip(blanks)
    if (isBetween && position >= text.length) return undefined
    const next: Requirement | undefined = isBetween
      ? text[position] === '{'
        ? takeValue()
        : undefined
      : steps[requirement]()
    if (next === undefined)
      return { ...locate(text, position), message: describeFault(text, position, requirement, ends.at(-1)) }
    requirement = next
  }
}

/** Returns the fault of a document of a stream. The column is not known in the line where an item of a list begins. */
export const findLineFault = ({ text, number, index }: Line): LineFault | undefined => {
  const fault = findJsonFault(text)
  if (!fault) return undefined
  const { line, column, message } = fault
  return { line: number + line - 1, message, ...(index === undefined || line > 1 ? { column } : {}) }
}

/** Writes `line 4, column 7`. */
export const writeFaultPlace = ({ line, column }: { line: number; column?: number }): string =>
  column === undefined ? `line ${line}` : `line ${line}, column ${column}`

const locate = (text: string, position: number): Pick<JsonFault, 'line' | 'column'> => {
  const readText = text.slice(0, position)
  const lineStart = readText.lastIndexOf('\n') + 1
  return { line: readText.split('\n').length, column: [...readText.slice(lineStart)].length + 1 }
}

const wordCharactersMax = 20

const describeFault = (
  text: string,
  position: number,
  requirement: Requirement,
  end: '}' | ']' | undefined,
): string => {
  const need = describeNeed(requirement, end)
  if (position >= text.length) return `the text ends, and ${need} is missing`
  const [found = ''] = text.slice(position).match(/^(?:[\p{L}\p{N}_]+|[\s\S])/u) ?? []
  if (found === '"' && requirement !== 'colon' && requirement !== 'separator')
    return String.raw`a text begins here that is not closed, or has a line break, another control character or an unknown escape such as \x in it`
  const word = JSON.stringify(found.slice(0, wordCharactersMax))
  const hint = found === "'" ? '; JSON has double quotes' : ''
  if (
    (requirement === 'name' || requirement === 'value') &&
    (found === '}' || found === ']') &&
    isAfterComma(text, position)
  )
    return `found ${word} behind a comma: leave out the comma`
  return `found ${word} where ${need} is needed${hint}`
}

const isAfterComma = (text: string, position: number): boolean =>
  text.slice(0, position).trimEnd().endsWith(',')

const describeNeed = (requirement: Requirement, end: '}' | ']' | undefined): string => {
  switch (requirement) {
    case 'value':
      return 'a value'
    case 'item':
      return 'a value or "]"'
    case 'first-name':
      return 'a name in double quotes or "}"'
    case 'name':
      return 'a name in double quotes'
    case 'colon':
      return '":"'
    default:
      return end === undefined ? 'the end of the text' : `"," or "${end}"`
  }
}
