/**
 * Reads documents from streamed CSV with a header line (RFC 4180). A column is an attribute, a record is a
 * document. Quotes inside an unquoted value are text, as in spreadsheets. Results exported as CSV can be
 * imported again (docs/import-data.md, CSV).
 */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { readTextCell, splitList, unescapeFormula } from '@querent/contract/csv-cells'
import { isDate, readFieldValue } from '@querent/contract/field-value'
import { readPoint } from '@querent/contract/geo-value'
import type { Collection, FieldType } from '@querent/contract/workspace-file'
import { type CsvError, type Info, type Parser, parse } from 'csv-parse'
import { parse as parseText } from 'csv-parse/sync'
import { createTimeSlice } from '#memory/time-slice'
import { createRecordLocator } from './csv-record-locator.ts'
import { csvColumnsMax, hasTooManyParts, tooManyParts } from './document-size.ts'
import { type Line, lineBytesMax } from './lines.ts'

/** Lines yielded together. */
const linesAtOnce = 500
const lineFeed = 0x0a

/** A record from the library: its cells and where it ends. */
interface Rec {
  record: string[]
  info: Info
}

export const delimiters = [',', ';', '\t'] as const
export type Delimiter = (typeof delimiters)[number]

/** Prefix of attributes whose name is also an export column, and of snippets. */
const attributePrefix = 'attributes.'
const highlightPrefix = 'highlights.'
/** Columns of every export besides `id`. */
const exportColumns = ['rank', 'probability', 'class']

/**
 * Yields documents, numbered by the line where their record begins; quoted line ends count. If the header
 * line or the quotes make the rest unreadable, the last line is a fault that says so.
 */
export async function* readCsv(
  source: AsyncIterable<Uint8Array>,
  collection: Collection,
  delimiter?: Delimiter,
): AsyncGenerator<Line[]> {
  const { header: headerText, stream } = await peekHeader(source)
  const locator = createRecordLocator()
  let failure: CsvError | undefined
  const parser: Parser = parse({
    bom: true,
    delimiter: delimiter ?? detectDelimiter(headerText, collection.id?.field ?? 'id'),
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
  const isOver = () => failure !== undefined
  const feeding = pipeline(Readable.from(locator.track(stream, isOver), { objectMode: false }), parser)
  // A failure of the pipeline also ends the loop below.
  feeding.catch(() => {})
  let toDocument: ((cells: string[]) => Omit<Line, 'number'>) | undefined
  let lines: Line[] = []
  const pauseForOthers = createTimeSlice()
  for await (const { record, info } of parser as AsyncIterable<Rec>) {
    // The parser may have read later records out of step.
    if (failure && info.records > Number(failure.records)) break
    const { number, isNotUtf8 } = locator.take(record, info.bytes)
    if (!toDocument) {
      if (isNotUtf8) {
        // Line ends of UTF-16 are not single bytes, so they cannot be counted.
        yield [{ number: 1, text: '', fault: 'the header line is not UTF-8; save the file as "CSV UTF-8"' }]
        return
      }
      const header = readHeader(record, collection)
      if (typeof header === 'string') {
        yield [{ number, text: '', fault: header }]
        return
      }
      toDocument = header
      continue
    }
    lines.push({
      number,
      ...(isNotUtf8 ? { text: '', fault: 'the record is not UTF-8' } : toDocument(record)),
    })
    if (lines.length >= linesAtOnce || parser.readableLength === 0) {
      yield lines
      lines = []
    }
    const pause = pauseForOthers()
    if (pause) await pause
  }
  if (failure)
    lines.push({ number: locator.nextLine(), text: '', fault: describeCsvError(failure), breaksOff: true })
  yield lines
}

/** Returns the names of the columns of a file that begins with these bytes. Throws if they cannot be read. */
export const readColumnNames = (bytes: Uint8Array): string[] => {
  const header = readFirstRecord(new TextDecoder().decode(bytes))
  const [names = []]: string[][] = parseText(header, {
    delimiter: detectDelimiter(header, ''),
    relax_quotes: true,
  })
  return names
}

/** The header line is read so far to detect its delimiter. */
const peekedBytesMax = 64 * 1024

/** Returns the beginning of the header line, and the stream from its beginning. */
const peekHeader = async (
  source: AsyncIterable<Uint8Array>,
): Promise<{ header: string; stream: AsyncIterable<Uint8Array> }> => {
  const chunks = source[Symbol.asyncIterator]()
  const read: Uint8Array[] = []
  const isEnd = createHeaderEndDetector()
  let bytes = 0
  let isComplete = false
  while (!isComplete && bytes < peekedBytesMax) {
    const { done, value } = await chunks.next()
    if (done) break
    read.push(value)
    isComplete = value.subarray(0, peekedBytesMax - bytes).some(isEnd)
    bytes += value.length
  }
  const replay = async function* () {
    try {
      yield* read
      for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value
    } finally {
      await chunks.return?.()
    }
  }
  const header = Buffer.concat(read)
    .toString('utf8', 0, peekedBytesMax)
    .replace(/^\ufeff/, '')
  return { header: readFirstRecord(header), stream: replay() }
}

const quote = 0x22
const carriageReturn = 0x0d

/** Detects the line end of the first record, byte by byte: outside of quotes, and not of an empty line. */
const createHeaderEndDetector = () => {
  let isQuoted = false
  let isEmpty = true
  return (byte: number): boolean => {
    if (byte === quote) isQuoted = !isQuoted
    if (byte === lineFeed && !isQuoted && !isEmpty) return true
    if (byte !== lineFeed && byte !== carriageReturn) isEmpty = false
    return false
  }
}

const readFirstRecord = (text: string): string =>
  /^(?:[^"\n]+|"[^"]*(?:"|$))*/.exec(text.replace(/^[\r\n]+/, ''))?.[0] ?? ''

/** Picks the delimiter that isolates the id column in the header line, otherwise the most frequent one. */
const detectDelimiter = (header: string, idField: string): Delimiter => {
  const unquoted = header.replaceAll(/"[^"]*"/g, '')
  const counts = delimiters.map(delimiter => ({
    delimiter,
    hasId: header
      .trimEnd()
      .split(delimiter)
      .some(name => name === idField || name === `"${idField}"`),
    count: unquoted.split(delimiter).length - 1,
  }))
  counts.sort((a, b) => Number(b.hasId) - Number(a.hasId) || b.count - a.count)
  return counts[0]?.delimiter ?? ','
}

const describeCsvError = ({ code, message }: CsvError): string => {
  if (code === 'CSV_QUOTE_NOT_CLOSED')
    return 'a quote that opens a value here or further on is never closed; nothing from here on was read'
  if (code === 'CSV_MAX_RECORD_SIZE')
    return `the record is longer than ${lineBytesMax} characters (is a quote not closed, or do lines end with CR alone?); nothing from here on was read`
  return `this is not CSV: ${message}`
}

/** Returns a converter from cells to a document, or a text that says what is wrong with the header line. */
const readHeader = (
  record: string[],
  collection: Collection,
): string | ((cells: string[]) => Omit<Line, 'number'>) => {
  const { id, fields = {} } = collection
  const idField = id?.field ?? 'id'
  if (record.length > csvColumnsMax)
    return `the header line has ${record.length} columns, allowed: at most ${csvColumnsMax}`
  if (record.some(name => name.includes('\r'))) return 'the lines end with CR alone; allowed: LF or CRLF'
  const isExported = isExport(record, collection)
  const names = isExported ? attributesOfExport(record, idField) : record
  const unnamed = names.indexOf('')
  if (unnamed >= 0) return `the header line gives column ${unnamed + 1} no name`
  if (!names.includes(idField)) {
    const delimiterHint =
      names.length === 1 && /[,;\t|]/.test(names[0] ?? '')
        ? '; allowed delimiters: comma, semicolon, tab'
        : ''
    return `the header line has no column "${idField}", which holds the id${delimiterHint}`
  }
  const counts = new Map<string | undefined, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  const columns = names.map(name => ({
    name,
    type: name !== undefined && Object.hasOwn(fields, name) ? fields[name]?.type : undefined,
    repeats: (counts.get(name) ?? 0) > 1,
  }))
  const hasTooManyJsonParts = (cells: readonly string[]) =>
    hasTooManyParts(
      cells.filter((cell, index) => isJsonType(columns[index]?.type) && jsonStart.test(cell)).join(','),
    )
  return cells => {
    if (cells.length !== columns.length)
      return {
        text: '',
        fault: `found ${cells.length} values; the header line has ${columns.length} columns`,
      }
    if (hasTooManyJsonParts(cells)) return { text: '', fault: tooManyParts }
    const document: [string, unknown][] = []
    const valuesByName = new Map<string, unknown[]>()
    columns.forEach(({ name, type, repeats }, index) => {
      const cell = isExported ? unescapeFormula(cells[index] ?? '') : (cells[index] ?? '')
      if (name === undefined || cell === '') return
      const value = name === idField ? readId(type, cell, isExported) : readCell(type, cell)
      if (!repeats) {
        document.push([name, value])
        return
      }
      const values = valuesByName.get(name) ?? []
      if (values.length === 0) document.push([name, values])
      valuesByName.set(name, values)
      // A spread of many values would exceed the stack.
      for (const item of Array.isArray(value) ? value : [value]) values.push(item)
    })
    return { text: '', document: Object.fromEntries(document) }
  }
}

/**
 * Whether the header line is that of exported results. If the collection has a field with the name of an
 * export column, only the order of the columns decides.
 */
const isExport = (names: readonly string[], { fields = {}, class: classes }: Collection): boolean => {
  const isLeading = ['rank', 'probability', 'id', 'class'].every((name, index) => names[index] === name)
  const ownNames = [...Object.keys(fields), ...(classes && !Array.isArray(classes) ? [classes.field] : [])]
  const isAmbiguous = exportColumns.some(name => ownNames.includes(name))
  return isLeading || (!isAmbiguous && [...exportColumns, 'id'].every(name => names.includes(name)))
}

/** Maps each column of an export to its attribute; undefined for columns that are not attributes. */
const attributesOfExport = (names: readonly string[], idField: string): (string | undefined)[] => {
  const attributes = names.map(column => {
    const name = unescapeFormula(column)
    if (exportColumns.includes(name) || name.startsWith(highlightPrefix)) return undefined
    return name.startsWith(attributePrefix) ? name.slice(attributePrefix.length) : name
  })
  // The URI is the id, unless the id field is exported as an attribute.
  const uri = names.indexOf('id')
  attributes[uri] = undefined
  if (!attributes.includes(idField)) attributes[uri] = idField
  return attributes
}

/** Different cells must be different ids: of `7`, `7.0` and `007`, only the first is a number. */
const readId = (type: FieldType | undefined, cell: string, isExported: boolean): unknown => {
  const number = type === 'number' ? readFieldValue(type, cell) : undefined
  if (String(number) === cell) return number
  return isExported && type === 'keyword' ? readTextCell(cell) : cell
}

/** Cells of these types may be JSON. */
const isJsonType = (type: FieldType | undefined): boolean =>
  type !== undefined && type !== 'text' && type !== 'keyword'
const jsonStart = /^\s*[[{]/

/** A value of the wrong form stays text, so that the document check reports it. */
const readCell = (type: FieldType | undefined, cell: string): unknown => {
  if (type === undefined || type === 'text') return cell
  if (type === 'keyword') return readTextCell(cell)
  const text = cell.trim()
  const json = jsonStart.test(text) ? readJson(text) : undefined
  if (json !== undefined) return json
  const parts = splitList(text)
  if (parts === undefined) return readValue(type, cell)
  const values = parts.map(part => readValue(type, part))
  return values.length === 1 ? values[0] : values
}

const readValue = (type: Exclude<FieldType, 'text' | 'keyword'>, cell: string): unknown => {
  const text = cell.trim()
  switch (type) {
    case 'boolean':
      // Spreadsheets write TRUE and FALSE.
      return readFieldValue(type, text.toLowerCase()) ?? cell
    case 'number':
      return readFieldValue(type, text) ?? cell
    case 'date':
      return isDate(text) ? text : cell
    case 'geo':
      return readPoint(text.replaceAll(' ', '')) ?? cell
    default:
      return readJson(text) ?? cell
  }
}

const readJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
