/**
 * Finds the cause of a syntax error in YAML. The parser reports where it could not go on, often lines below the slip, and in its own words.
 */
import type { YAMLError } from 'yaml'
import { describeFault, type FaultText } from './fault-texts.ts'

export interface SyntaxCause {
  text: FaultText
  /** Where it is in the source. */
  offset: number
}

interface Line {
  /** Index in the source. */
  start: number
  indent: number
  /** Without blanks around; empty for a comment. */
  content: string
}

/** Returns the cause, or undefined if only the parser knows it. */
export const findSyntaxCause = (
  source: string,
  { code, message, pos }: Pick<YAMLError, 'code' | 'message' | 'pos'>,
): SyntaxCause | undefined => {
  const lines = readLines(source)
  const index = Math.max(
    0,
    lines.findLastIndex(({ start }) => start <= pos[0]),
  )
  if (/closing .quote/.test(message)) return findOpenQuote(lines)
  if (/^Flow (?:map|sequence)/.test(message)) return findOpenBracket(source, pos[0])
  switch (code) {
    case 'BAD_INDENT':
      return findMixedList(lines, index) ?? findIndentation(lines, index)
    case 'BLOCK_AS_IMPLICIT_KEY':
    case 'MULTILINE_IMPLICIT_KEY':
    case 'MISSING_CHAR':
    case 'UNEXPECTED_TOKEN':
      return (
        findMixedList(lines, index) ??
        findSecondValue(lines, index, pos[0]) ??
        findIndentation(lines, index) ??
        findMissingColon(lines, index)
      )
    default:
      return undefined
  }
}

const readLines = (source: string): Line[] => {
  let start = 0
  return source.split('\n').map(text => {
    const line = { start, indent: /^ */.exec(text)?.[0].length ?? 0, content: readContent(text) }
    start += text.length + 1
    return line
  })
}

const readContent = (text: string): string => text.replace(/(?:^|\s)#.*$/, '').trim()

/** The nearest line with content, above (`-1`) or below (`1`). */
const findNeighbor = (lines: readonly Line[], index: number, step: 1 | -1): number => {
  let neighbor = index + step
  while (lines[neighbor]?.content === '') neighbor += step
  return neighbor
}

const place = (line: Line): number => line.start + line.indent
const isItem = ({ content }: Line): boolean => /^-(?:\s|$)/.test(content)

/** A key beside the items of a list: it belongs elsewhere, whichever of both comes first. */
const findMixedList = (lines: readonly Line[], index: number): SyntaxCause | undefined => {
  for (const neighborIndex of [findNeighbor(lines, index, -1), findNeighbor(lines, index, 1)]) {
    const [line, neighbor] = [lines[index], lines[neighborIndex]]
    if (!line || !neighbor || line.indent !== neighbor.indent || isItem(line) === isItem(neighbor)) continue
    const [key, itemIndex] = isItem(line) ? [neighbor, index] : [line, neighborIndex]
    return { text: describeFault('yaml-key-beside-list', { line: itemIndex + 1 }), offset: place(key) }
  }
  return undefined
}

const pairPattern = /^(?:- +)*[^\s"'#][^"'#]*?:\s+\S/

/** A key with a value, and a line below it that is indented as if it were its value; or a value with another colon. */
const findSecondValue = (
  lines: readonly Line[],
  index: number,
  position: number,
): SyntaxCause | undefined => {
  const line = lines[index]
  if (!line || !pairPattern.test(line.content)) return undefined
  const nextIndex = findNeighbor(lines, index, 1)
  const next = lines[nextIndex]
  if ((line.content.match(/:\s/g) ?? []).length > 1)
    return { text: describeFault('yaml-second-colon', {}, { hint: 'quote-text' }), offset: position }
  return next && next.indent > line.indent
    ? { text: describeFault('yaml-indented-below', { line: nextIndex + 1 }), offset: place(line) }
    : undefined
}

const findMissingColon = (lines: readonly Line[], index: number): SyntaxCause | undefined => {
  const line = lines[index]
  return line && line.content !== '' && !isItem(line) && !/:(?:\s|$)/.test(line.content)
    ? { text: describeFault('yaml-no-colon'), offset: place(line) }
    : undefined
}

/** The indentations that a line may have: those of the lines that it may continue. */
const findIndentation = (lines: readonly Line[], index: number): SyntaxCause | undefined => {
  const line = lines[index]
  if (!line) return undefined
  const open = new Set<number>()
  let lowest = Number.POSITIVE_INFINITY
  for (const earlier of lines.slice(0, index).toReversed()) {
    if (earlier.content === '' || earlier.indent >= lowest) continue
    const [, item = ''] = (pairPattern.test(earlier.content) && /^(- +)/.exec(earlier.content)) || []
    for (const indent of [earlier.indent, earlier.indent + item.length]) if (indent < lowest) open.add(indent)
    lowest = earlier.indent
  }
  const allowed = [...open].sort((one, next) => one - next)
  return allowed.length === 0 || open.has(line.indent)
    ? undefined
    : {
        text: describeFault('yaml-blanks', { found: line.indent, allowed: allowed.join(', ') }),
        offset: place(line),
      }
}

/** The first line with a quote that has no partner. */
const findOpenQuote = (lines: readonly Line[]): SyntaxCause | undefined => {
  for (const line of lines)
    for (const quote of ['"', "'"]) {
      const value = line.content.replace(/^(?:- +)*(?:[^\s"'][^"']*?:\s+)?/, '')
      if (value.startsWith(quote) && !value.slice(1).replaceAll(/\\./g, '').includes(quote))
        return {
          text: describeFault('yaml-open', { sign: quote }),
          offset: line.start + line.indent + line.content.length - value.length,
        }
    }
  return undefined
}

const closing: Readonly<Record<string, string>> = { '{': '}', '[': ']' }

/** The last bracket before the error that nothing closes. */
const findOpenBracket = (source: string, end: number): SyntaxCause | undefined => {
  const open: { sign: string; offset: number }[] = []
  for (const { 0: token, index } of source
    .slice(0, end)
    .matchAll(/"(?:[^"\\]|\\.)*"|(?<=[\s,[{:])'(?:[^']|'')*'|(?<=^|\s)#.*|[[\]{}]/gm)) {
    if (token in closing) open.push({ sign: token, offset: index })
    else if (token === ']' || token === '}') open.pop()
  }
  const last = open.at(-1)
  return last && { text: describeFault('yaml-open', { sign: last.sign }), offset: last.offset }
}
