/**
 * Tables whose columns are aligned for reading, by blanks or by several tabs, as in `/etc/services`. Their lines become tab-separated ones.
 */
import { commentMark, isNumber } from './csv-values.ts'

/** Turns a line, without its end, into a tab-separated one. */
export type AlignLine = (line: string) => string

const linesMax = 200
const linesMin = 5
const columnsMax = 60
/** Longer lines belong to no table. They stay as they are, so that no input fills the memory. */
const lineCharactersMax = 1024 * 1024
/** Lines that a rule has to hold for. */
const usualShare = 0.95

/** Returns how to split the lines of a file that begins with this text, whose last line may be incomplete. Undefined if they have a delimiter, or no columns. */
export const findAlignment = (beginning: string): AlignLine | undefined => {
  const lines = beginning
    .split('\n', linesMax + 1)
    .slice(0, -1)
    .map(line => line.replace(/\r$/, ''))
    .filter(line => line.trim() !== '' && !commentMark.test(line))
  if (lines.length < linesMin || ['\t', ',', ';', '|'].some(sign => isRegular(lines, sign))) return undefined
  const split = findTabs(lines) ?? findPositions(lines) ?? findBlanks(lines)
  if (!split) return undefined
  const columns = Math.max(...lines.map(line => split(line).length))
  if (columns < 2 || columns > columnsMax) return undefined
  return line => (commentMark.test(line) ? line.replaceAll('\t', ' ') : joinCells(split(line), columns))
}

/** Returns a stream of tab-separated lines. */
export async function* alignStream(
  source: AsyncIterable<Uint8Array>,
  align: AlignLine,
): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder()
  let rest = ''
  let isLong = false
  const alignLines = (lines: string): string => {
    const end = isLong ? lines.indexOf('\n') : 0
    // All of them are the end of a long line, or the first is.
    const unchanged = end === -1 ? lines : lines.slice(0, end)
    isLong = false
    return unchanged + alignText(lines.slice(unchanged.length), align)
  }
  for await (const chunk of source) {
    const text = decoder.decode(chunk, { stream: true })
    const end = text.lastIndexOf('\n')
    if (end >= 0) {
      yield Buffer.from(`${alignLines(rest + text.slice(0, end))}\n`)
      rest = text.slice(end + 1)
    } else rest += text
    if (rest.length > lineCharactersMax) {
      yield Buffer.from(rest)
      rest = ''
      isLong = true
    }
  }
  rest += decoder.decode()
  if (rest !== '') yield Buffer.from(alignLines(rest))
}

/** Returns the text with its complete lines aligned. */
export const alignText = (text: string, align: AlignLine): string =>
  text
    .split('\n')
    .map(line => align(line.replace(/\r$/, '')))
    .join('\n')

type SplitLine = (line: string) => string[]

/** Later cells than the last column belong to it. */
const joinCells = (cells: readonly string[], columns: number): string => {
  if (cells.every(cell => cell === '')) return ''
  const firstCells = cells.slice(0, columns - 1)
  const last = cells.slice(columns - 1).join(' ')
  return [...firstCells, ...Array.from({ length: columns - 1 - firstCells.length }, () => ''), last].join(
    '\t',
  )
}

/** A quote at the beginning of a cell would open a quoted one. */
const writeCell = (text: string): string => {
  const cell = text.trim().replaceAll('\t', ' ')
  return cell.startsWith('"') ? `"${cell.replaceAll('"', '""')}"` : cell
}

const isRegular = (lines: readonly string[], sign: string): boolean => {
  const counts = lines.map(line => line.replaceAll(/"[^"]*"/g, '').split(sign).length)
  const [first = 1] = counts
  return first > 1 && counts.filter(count => count === first).length >= 0.9 * lines.length
}

/** Several tabs reach the next column: as many as the cell before them leaves room for. Names without empty cells are those of a usual table. */
const findTabs = (lines: readonly string[]): SplitLine | undefined => {
  const split = (line: string) => line.split(/\t+/).map(writeCell)
  const countPlain = (line: string) => line.split('\t').length
  const counts = lines.map(countPlain)
  const [first = ''] = lines
  const isNamed = countPlain(first) === Math.max(...counts) && !/\t\t|\t$/.test(first)
  const different = (values: readonly number[]) => new Set(values.filter(value => value > 1)).size
  const collapsed = lines.map(line => split(line).length)
  return !isNamed &&
    different(counts) > 2 &&
    different(collapsed) < different(counts) &&
    different(collapsed) < 4
    ? split
    : undefined
}

/** Columns begin at the same characters, after blanks in nearly all lines. */
const findPositions = (lines: readonly string[]): SplitLine | undefined => {
  if (lines.some(line => line.includes('\t'))) return undefined
  const texts = lines.map(line => [...line])
  const width = Math.max(...texts.map(({ length }) => length))
  const isGap = Array.from(
    { length: width },
    (_, index) => texts.filter(line => (line[index] ?? ' ') === ' ').length >= usualShare * lines.length,
  )
  const starts = isGap.flatMap((gap, index) => (!gap && (index === 0 || isGap[index - 1]) ? [index] : []))
  const hasWideGap = starts.some((start, column) => column > 0 && isGap[start - 1] && isGap[start - 2])
  const isFilled = (line: readonly string[], start: number, end = width) =>
    line.slice(start, end).some(character => character !== ' ')
  const countFilled = (start: number, end?: number) => texts.filter(line => isFilled(line, start, end)).length
  // The ends of a few long cells are no column.
  const columns = starts.filter(
    (start, index) =>
      countFilled(start, starts[index + 1]) >= (index === 0 ? usualShare : 0.1) * lines.length,
  )
  const split = createPositionSplitter(columns)
  const isRow = (line: string) => split(line).filter(cell => cell !== '').length > 1
  const isTable = lines.filter(isRow).length >= 0.8 * lines.length
  return columns.length > 1 && columns[0] === starts[0] && hasWideGap && isTable ? split : undefined
}

const createPositionSplitter =
  (starts: readonly number[]): SplitLine =>
  line => {
    const characters = [...line]
    const isCut = starts.some(
      start => start > 0 && (characters[start - 1] ?? ' ') !== ' ' && (characters[start] ?? ' ') !== ' ',
    )
    // A longer cell moves the next ones. Names above numbers may have one blank between them.
    const words = line.trim().split(/ +/)
    if (isCut) return (words.length === starts.length ? words : line.trim().split(/ {2,}/)).map(writeCell)
    return starts.map((start, index) =>
      writeCell(characters.slice(index === 0 ? 0 : start, starts[index + 1]).join('')),
    )
  }

/** One blank separates numbers and codes, which have none themselves. */
const findBlanks = (lines: readonly string[]): SplitLine | undefined => {
  const split = (line: string): string[] => line.match(/"[^"]*"|\S+/g) ?? []
  const [header = [], ...rows] = lines.map(split)
  const count = rows[0]?.length ?? 0
  const isShaped =
    rows.filter(({ length }) => length === count).length >= usualShare * rows.length &&
    (header.length === count || header.length === count - 1)
  const holds = (column: number, test: (cell: string) => boolean) =>
    rows.filter(row => test(row[column] ?? '')).length >= 0.9 * rows.length
  const numbers = Array.from({ length: count }, (_, column) => holds(column, isNumber)).filter(Boolean).length
  const codes = Array.from({ length: count }, (_, column) => holds(column, cell => /[\d_]/.test(cell)))
  return isShaped && count > 1 && (numbers > 1 || codes.every(Boolean)) ? split : undefined
}
