/**
 * Reads records of CSV whose quotes are where RFC 4180 has them, with the searches of the JavaScript engine. It stops before the first other record, and the
 * library reads from there on (csv.ts). The library looks at each byte: 100,000 records of 250 bytes took 4.5 s of processor time to import, and 3.7 s with
 * this. `readsAllByLibrary` turns it off, and csv-regular-records.test.ts compares both.
 */
import { isUtf8 } from 'node:buffer'

export interface RegularRecord {
  cells: string[]
  /** Line of its beginning, from 1. */
  number: number
}

/** Records of one read. `rest`: the bytes from the first record on that is not regular. */
export interface RegularRecords {
  records: RegularRecord[]
  rest?: Buffer
}

const lineFeed = 0x0a
const byteOrderMark = Buffer.from('\ufeff')
/** The library decides about longer records. */
const recordBytesMax = 256 * 1024

/** Reads chunks one after the other. Call `take` without a chunk at the end. */
export const createRegularReader = (delimiter: string) => {
  /** Bytes of a record that is not complete. */
  let openBytes: Buffer = Buffer.alloc(0)
  let line = 1
  let isStart = true
  /** Returns the bytes without a byte order mark; undefined while it is not known whether there is one. */
  const dropMark = (bytes: Buffer, isEnd: boolean): Buffer | undefined => {
    if (!isStart) return bytes
    if (bytes.length < byteOrderMark.length && !isEnd) return undefined
    isStart = false
    return bytes.indexOf(byteOrderMark) === 0 ? bytes.subarray(byteOrderMark.length) : bytes
  }
  return {
    /** Line on which the next record begins. */
    nextLine: () => line,
    take(chunk?: Uint8Array): RegularRecords {
      const isEnd = chunk === undefined
      const joined = chunk === undefined ? openBytes : Buffer.concat([openBytes, chunk])
      const bytes = dropMark(joined, isEnd)
      openBytes = bytes ?? joined
      if (bytes === undefined) return { records: [] }
      const end = isEnd ? bytes.length : bytes.lastIndexOf(lineFeed) + 1
      const complete = bytes.subarray(0, end)
      if (!isUtf8(complete)) return { records: [], rest: bytes }
      const text = complete.toString()
      const read = readRecords({ text, line, delimiter, isEnd })
      line = read.line
      openBytes = bytes.subarray(Buffer.byteLength(text.slice(0, read.position)))
      const isRegular = !read.isIrregular && openBytes.length <= recordBytesMax
      return { records: read.records, ...(isRegular ? {} : { rest: openBytes }) }
    },
  }
}

interface Text {
  text: string
  line: number
  delimiter: string
  /** Whether no text follows. */
  isEnd: boolean
}

interface RecordsRead {
  records: RegularRecord[]
  /** Where the first record begins that was not read, and its line. */
  position: number
  line: number
  isIrregular: boolean
}

const readRecords = ({ text, line: firstLine, delimiter, isEnd }: Text): RecordsRead => {
  const records: RegularRecord[] = []
  let position = 0
  let line = firstLine
  let quoteAt = text.indexOf('"')
  while (position < text.length) {
    if (quoteAt >= 0 && quoteAt < position) quoteAt = text.indexOf('"', position)
    const lineFeedAt = text.indexOf('\n', position)
    const hasQuote = quoteAt >= 0 && (lineFeedAt < 0 || quoteAt < lineFeedAt)
    const record = hasQuote
      ? readQuotedRecord(text, position, delimiter)
      : readPlainRecord(text, position, lineFeedAt, delimiter)
    if (typeof record === 'string') {
      const isIrregular = record === 'irregular' || isEnd
      return { records, position, line, isIrregular }
    }
    if (record.cells.length > 0) records.push({ cells: record.cells, number: line })
    line += hasQuote ? countLines(text, position, record.end) : 1
    position = record.end
  }
  return { records, position, line, isIrregular: false }
}

/** Cells without quotes; none for an empty line. `lineFeedAt` is -1 in the last line. */
const readPlainRecord = (text: string, start: number, lineFeedAt: number, delimiter: string): RecordCells => {
  const end = lineFeedAt < 0 ? text.length : findCellEnd(text, start, lineFeedAt)
  return {
    cells: end > start ? text.slice(start, end).split(delimiter) : [],
    end: lineFeedAt < 0 ? text.length : lineFeedAt + 1,
  }
}

interface RecordCells {
  cells: string[]
  /** Position after the line end. */
  end: number
}

/** Returns the end of the last cell of a line: a CR before the line feed is no part of it. */
const findCellEnd = (text: string, start: number, lineEnd: number): number =>
  lineEnd > start && text[lineEnd - 1] === '\r' ? lineEnd - 1 : lineEnd

const countLines = (text: string, start: number, end: number): number => {
  let lines = 0
  for (
    let index = text.indexOf('\n', start);
    index >= 0 && index < end;
    index = text.indexOf('\n', index + 1)
  )
    lines += 1
  return lines
}

const readQuotedRecord = (
  text: string,
  start: number,
  delimiter: string,
): RecordCells | 'incomplete' | 'irregular' => {
  const cells: string[] = []
  let position = start
  for (;;) {
    const cell =
      text[position] === '"' ? readQuotedCell(text, position) : readPlainCell(text, position, delimiter)
    if (cell === undefined) return 'incomplete'
    cells.push(cell.value)
    position = cell.end
    if (text.startsWith(delimiter, position)) position += delimiter.length
    else if (text[position] === '\n') return { cells, end: position + 1 }
    else if (text[position] === '\r' && text[position + 1] === '\n') return { cells, end: position + 2 }
    else return position >= text.length ? { cells, end: position } : 'irregular'
  }
}

interface Cell {
  value: string
  end: number
}

/** Undefined if nothing closes the quote. */
const readQuotedCell = (text: string, start: number): Cell | undefined => {
  let value = ''
  for (let from = start + 1; ; ) {
    const quote = text.indexOf('"', from)
    if (quote < 0) return undefined
    if (text[quote + 1] !== '"') return { value: value + text.slice(from, quote), end: quote + 1 }
    value += text.slice(from, quote + 1)
    from = quote + 2
  }
}

/** Quotes inside are text. */
const readPlainCell = (text: string, start: number, delimiter: string): Cell => {
  const lineFeedAt = text.indexOf('\n', start)
  const lineEnd = lineFeedAt < 0 ? text.length : findCellEnd(text, start, lineFeedAt)
  const delimiterAt = text.indexOf(delimiter, start)
  const end = delimiterAt >= 0 && delimiterAt < lineEnd ? delimiterAt : lineEnd
  return { value: text.slice(start, end), end }
}
