/**
 * Reads documents from streamed CSV with a header line (RFC 4180). A column is an attribute, a record is a
 * document. Quotes inside an unquoted value are text, as in spreadsheets. Results exported as CSV can be
 * imported again (docs/import-data.md, CSV).
 */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Collection } from '@querent/contract/workspace-file'
import { type CsvError, type Info, type Parser, parse } from 'csv-parse'
import { parse as parseText } from 'csv-parse/sync'
import { createTimeSlice } from '#memory/time-slice'
import { decodeBeginning, openBeginning } from './csv-beginning.ts'
import { nameColumns, readHeader } from './csv-columns.ts'
import {
  type CsvLayout,
  type Delimiter,
  findLayout,
  guessLayout,
  readFirstRecord,
  startsWithHeader,
} from './csv-layout.ts'
import { createRecordLocator } from './csv-record-locator.ts'
import { createRegularReader, type RegularRecord } from './csv-regular-records.ts'
import { commentMark } from './csv-values.ts'
import { type Line, lineBytesMax } from './lines.ts'
import { type Encoding, toUtf8 } from './text-encoding.ts'

/** Lines yielded together. */
const linesAtOnce = 500

/** A record from the library: its cells and where it ends. */
interface Rec {
  record: string[]
  info: Info
}

export interface CsvOptions {
  /** Detected from the header line if absent. */
  delimiter?: Delimiter | undefined
  /** Detected from the bytes if absent. */
  encoding?: Encoding | undefined
  /** Turns the fast reader of regular records off, for a test. */
  readsAllByLibrary?: boolean
  /** Receives the encoding if it is not UTF-8. */
  onEncoding?: ((encoding: Encoding) => void) | undefined
}

/**
 * Yields documents, numbered by the line where their record begins; quoted line ends count. If the header
 * line or the quotes make the rest unreadable, the last line is a fault that says so.
 */
export async function* readCsv(
  source: AsyncIterable<Uint8Array>,
  collection: Collection,
  { delimiter: statedDelimiter, encoding, onEncoding, readsAllByLibrary = false }: CsvOptions = {},
): AsyncGenerator<Line[]> {
  const { beginning, stream } = await openBeginning(toUtf8(source, encoding, onEncoding), {
    isEnough: text => startsWithHeader(text, collection, statedDelimiter),
    isAligned: statedDelimiter === undefined,
  })
  const layout = findLayout(beginning, collection, statedDelimiter)
  const blanks = findBlanks(beginning, layout)
  const table = createTableReader(layout, collection)
  const chunks = cutChunks(stream)
  const isRegular = !readsAllByLibrary && !blanks.ltrim && !blanks.rtrim
  try {
    const rest = isRegular
      ? yield* readRegular(chunks, layout, table)
      : { bytes: new Uint8Array(), firstLine: 1 }
    if (rest)
      yield* readOthers(
        continueWith(rest.bytes, chunks),
        { firstLine: rest.firstLine, isStart: !isRegular },
        { layout, blanks, table },
      )
  } finally {
    await chunks.return(undefined)
  }
}

type Chunks = AsyncIterator<Uint8Array>
type TableReader = ReturnType<typeof createTableReader>

/** The most bytes whose records are read at once, before others get their turn. */
const bytesAtOnce = 64 * 1024

async function* cutChunks(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of stream)
    for (let start = 0; start < chunk.length; start += bytesAtOnce)
      yield chunk.subarray(start, start + bytesAtOnce)
}

async function* continueWith(start: Uint8Array, chunks: Chunks): AsyncGenerator<Uint8Array> {
  if (start.length > 0) yield start
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value
}

/** Yields the documents up to the first record that is not regular. Returns the bytes from there on that are read already, or undefined at the end. */
async function* readRegular(
  chunks: Chunks,
  { delimiter }: CsvLayout,
  table: TableReader,
): AsyncGenerator<Line[], { bytes: Uint8Array; firstLine: number } | undefined> {
  const reader = createRegularReader(delimiter)
  const pauseForOthers = createTimeSlice()
  for (;;) {
    const next = await chunks.next()
    const { records, rest } = reader.take(next.done ? undefined : next.value)
    yield* readRecords(records, table, pauseForOthers)
    if (table.isUnreadable()) return undefined
    if (rest) return { bytes: rest, firstLine: reader.nextLine() }
    if (next.done) return undefined
  }
}

async function* readRecords(
  records: readonly RegularRecord[],
  table: TableReader,
  pauseForOthers: ReturnType<typeof createTimeSlice>,
): AsyncGenerator<Line[]> {
  let lines: Line[] = []
  for (const { cells, number } of records) {
    const line = table.read(cells, { number, isNotUtf8: false })
    if (line) lines.push(line)
    if (table.isUnreadable()) break
    if (lines.length >= linesAtOnce) {
      yield lines
      lines = []
    }
    const pause = pauseForOthers()
    if (pause) await pause
  }
  if (lines.length > 0) yield lines
}

/** Yields the documents of any other records. The last line is a fault if the rest cannot be read. */
async function* readOthers(
  stream: AsyncIterable<Uint8Array>,
  { firstLine, isStart }: { firstLine: number; isStart: boolean },
  { layout, blanks, table }: { layout: CsvLayout; blanks: Blanks; table: TableReader },
): AsyncGenerator<Line[]> {
  const locator = createRecordLocator(firstLine)
  // A byte order mark further on is a character.
  const records = openRecords(blanks, layout.delimiter, isStart)
  const { parser } = records
  const feeding = pipeline(
    Readable.from(locator.track(stream, records.isOver), { objectMode: false }),
    parser,
  )
  // A failure of the pipeline also ends the loop below.
  feeding.catch(() => {})
  let lines: Line[] = []
  const pauseForOthers = createTimeSlice()
  for await (const { record, info } of parser as AsyncIterable<Rec>) {
    if (records.isOutOfStep(info)) break
    const line = table.read(record, locator.take(record, info.bytes))
    if (line) lines.push(line)
    if (table.isUnreadable()) {
      yield lines
      return
    }
    if (lines.length > 0 && (lines.length >= linesAtOnce || parser.readableLength === 0)) {
      yield lines
      lines = []
    }
    const pause = pauseForOthers()
    if (pause) await pause
  }
  const failure = records.failure()
  if (failure)
    lines.push({ number: locator.nextLine(), text: '', fault: describeCsvError(failure), breaksOff: true })
  yield lines
}

/** Opens a parser of records, which ends at the first record that it cannot read. */
const openRecords = (blanks: Blanks, delimiter: CsvLayout['delimiter'], hasMark: boolean) => {
  let failure: CsvError | undefined
  const parser: Parser = parse({
    bom: hasMark,
    delimiter,
    ...blanks,
    info: true,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    record_delimiter: ['\r\n', '\n'],
    max_record_size: lineBytesMax,
    // An error would end the stream before its earlier records are consumed.
    skip_records_with_error: true,
    on_skip: error => {
      failure ??= error
      return undefined
    },
  })
  return {
    parser,
    failure: () => failure,
    isOver: () => failure !== undefined,
    /** After a failure, the parser may have read later records out of step. */
    isOutOfStep: (info: Info) => failure !== undefined && info.records > Number(failure.records),
  }
}

/** Databases write it where there is no value. */
const nullCell = String.raw`\N`

const emptyNulls = (record: string[]): string[] =>
  record.includes(nullCell) ? record.map(cell => (cell === nullCell ? '' : cell)) : record

/** Reads the records of a file, its header line first. */
const createTableReader = (layout: CsvLayout, collection: Collection) => {
  let toDocument: Exclude<ReturnType<typeof readHeader>, string> | undefined
  let recordsToSkip = layout.skippedRecords
  let isUnreadable = false
  let columns = 0
  /** Whether the next record is the first one below the header line. */
  let isBelowHeader = false
  /** Returns a line that says what is wrong with the header line. */
  const takeHeader = (record: string[], number: number): Line | undefined => {
    const cells = completeHeader(record, layout)
    columns = cells.length
    const header = readHeader(cells, collection)
    isUnreadable = typeof header === 'string'
    if (typeof header === 'string') return { number, text: '', fault: header }
    toDocument = header
    return undefined
  }
  return {
    /** Returns undefined for records that are no documents. */
    read(record: string[], { number, isNotUtf8 }: { number: number; isNotUtf8: boolean }): Line | undefined {
      if (recordsToSkip > 0) {
        recordsToSkip -= 1
        return undefined
      }
      if (!toDocument) {
        isUnreadable = isNotUtf8
        if (isNotUtf8) return { number: 1, text: '', fault: `the header line ${notUtf8}` }
        const fault = takeHeader(record, number)
        isBelowHeader = !layout.isHeaderless
        if (!toDocument || !layout.isHeaderless) return fault
      }
      const isRule = isBelowHeader && isTableRule(record)
      isBelowHeader = false
      // Spreadsheets write empty rows as delimiters alone.
      if (isRule || isEndOfCopy(record) || record.every(cell => cell.trim() === '')) return undefined
      if (layout.hasComments && isComment(record, columns)) return undefined
      return {
        number,
        ...(isNotUtf8 ? { text: '', fault: `the record ${notUtf8}` } : toDocument(emptyNulls(record))),
      }
    },
    /** Whether the header line makes all records unreadable. */
    isUnreadable: () => isUnreadable,
  }
}

/** Below comments, a line of text is one too. With several columns, a comment has others. */
const isComment = ([first = '', ...others]: readonly string[], columns: number): boolean =>
  commentMark.test(first) &&
  (columns === 1
    ? /^\S*\s|^\W+$/.test(first)
    : others.length + 1 !== columns || others.every(cell => cell === ''))

/** PostgreSQL ends the rows of `COPY` with this line. */
const isEndOfCopy = (record: readonly string[]): boolean => record.length === 1 && record[0] === '\\.'

/** Returns the names of the columns, empty for those without. */
const completeHeader = (header: readonly string[], { isHeaderless, isFirstUnnamed }: CsvLayout): string[] => {
  if (isHeaderless) return header.map(() => '')
  return isFirstUnnamed ? ['', ...header] : [...header]
}

/** Whether the record is the line below the names in a table for reading, such as `|---|:--:|` or `----+----`. */
const isTableRule = (record: readonly string[]): boolean =>
  record.length > 1
    ? record.some(cell => cell.trim() !== '') && record.every(cell => /^\s*(?::?-{3,}:?\s*)?$/.test(cell))
    : /^-{2,}(?:\+-{2,})+$/.test(record[0] ?? '')

const notUtf8 =
  'is not UTF-8, and other parts of the file are; save it as "CSV UTF-8", or send ?encoding=windows-1252'

/** Returns the names of the columns of a file that begins with these bytes, and its layout. */
export const guessColumns = (bytes: Uint8Array): { names: string[]; layout: CsvLayout } => {
  const beginning = decodeBeginning(bytes)
  const layout = guessLayout(beginning)
  const records: string[][] = parseText(beginning, {
    delimiter: layout.delimiter,
    ...findBlanks(beginning, layout),
    relax_quotes: true,
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
    to: layout.skippedRecords + 1,
  })
  const header = records[layout.skippedRecords] ?? []
  return { names: nameColumns(completeHeader(header, layout)), layout }
}

/** Blanks that are no part of the values, as in `id, "name"` and `| id | name |`: the header line has them after its delimiters, or before. */
interface Blanks {
  ltrim: boolean
  rtrim: boolean
}

const findBlanks = (beginning: string, { delimiter, skippedRecords }: CsvLayout): Blanks => {
  let rest = beginning
  for (let skipped = 0; skipped < skippedRecords; skipped += 1)
    rest = rest.trimStart().slice(readFirstRecord(rest.trimStart()).length)
  const header = readFirstRecord(rest.replace(/^[\r\n]+/, ''))
  return { ltrim: header.includes(`${delimiter} `), rtrim: header.includes(` ${delimiter}`) }
}

const describeCsvError = ({ code, message }: CsvError): string => {
  if (code === 'CSV_QUOTE_NOT_CLOSED')
    return 'a quote that opens a value here or further on is never closed; nothing from here on was read'
  if (code === 'CSV_MAX_RECORD_SIZE')
    return `the record is longer than ${lineBytesMax} characters (is a quote not closed, or do lines end with CR alone?); nothing from here on was read`
  return `this is not CSV: ${message}`
}
