/** Finds where a text stops being JSON (RFC 8259), so that people can correct their file there. */

export interface JsonFault {
  /** From 1. */
  line: number
  /** Character of the line, from 1. */
  column: number
  /** Names the character that was found, and what is needed in its place. */
  message: string
  kind: FaultKind
  /** The word or character that was found; empty at the end of the text. */
  found: string
  requirement: Requirement
  /** The end of the list or object that is open; undefined if none is. */
  end: '}' | ']' | undefined
}

/** `end`: the text ends too early. `open`: so does one in quotes. `text`: one in quotes has other characters. `comma`: it is behind the last item. */
type FaultKind = 'end' | 'open' | 'text' | 'comma' | 'other'

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

export type Requirement = 'value' | 'item' | 'name' | 'first-name' | 'colon' | 'separator'

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
      return { ...locate(text, position), ...describeFault(text, position, requirement, ends.at(-1)) }
    requirement = next
  }
}

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
): Omit<JsonFault, 'line' | 'column'> => {
  const need = describeNeed(requirement, end)
  if (position >= text.length)
    return { kind: 'end', found: '', requirement, end, message: `the text ends, and ${need} is missing` }
  const [word = ''] = text.slice(position).match(/^(?:[\p{L}\p{N}_]+|[\s\S])/u) ?? []
  const shortWord = word.slice(0, wordCharactersMax)
  const kind = findKind(text, position, requirement)
  return { kind, found: shortWord, requirement, end, message: writeMessage(kind, shortWord, need) }
}

/** A text in quotes up to the end. */
const openText = /^"(?:[^"\\\p{Cc}]|\\[\s\S])*\\?$/u

const findKind = (text: string, position: number, requirement: Requirement): FaultKind => {
  const character = text[position]
  if (character === '"' && requirement !== 'colon' && requirement !== 'separator')
    return openText.test(text.slice(position)) ? 'open' : 'text'
  const isBehindComma =
    (requirement === 'name' || requirement === 'value') &&
    (character === '}' || character === ']') &&
    isAfterComma(text, position)
  return isBehindComma ? 'comma' : 'other'
}

const writeMessage = (kind: FaultKind, found: string, need: string): string => {
  if (kind === 'open') return 'the text that begins here is not closed'
  if (kind === 'text')
    return String.raw`a text begins here that has a line break, another control character or an unknown escape such as \x in it`
  const word = JSON.stringify(found)
  if (kind === 'comma') return `found ${word} behind a comma: leave out the comma`
  return `found ${word} where ${need} is needed${found === "'" ? '; JSON has double quotes' : ''}`
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
