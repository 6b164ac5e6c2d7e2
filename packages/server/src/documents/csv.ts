/**
 * Reads documents from CSV with a header line (RFC 4180), streamed: a column is an attribute, a record a document. Quotes inside
 * a value that does not begin with one are text, as spreadsheets take them. Results exported as csv come back as the documents they were
 * (docs/import-data.md, CSV).
 */
import { isUtf8 } from 'node:buffer'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { readTextCell, splitList } from '@querent/contract/csv-cells'
import { unescapeFormula } from '@querent/contract/csv-formula'
import { isDate, readFieldValue } from '@querent/contract/field-value'
import { readPoint } from '@querent/contract/geo-value'
import type { Collection, FieldType } from '@querent/contract/workspace-file'
import { type CsvError, type Info, type Parser, parse } from 'csv-parse'
import { type Line, lineBytesMax } from './lines.ts'

/** Lines given together. */
const linesAtOnce = 500
const lineFeed = 0x0a

/** A record as the library gives it: its cells, and where it ends. */
interface Rec {
  record: string[]
  info: Info
}

export const delimiters = [',', ';', '\t'] as const
export type Delimiter = (typeof delimiters)[number]

/** Before each attribute that would take the place of a column that every export has, and before each snippet. */
const attributePrefix = 'attributes.'
const highlightPrefix = 'highlights.'
/** Columns that every export has besides `id`. */
const exportColumns = ['rank', 'probability', 'class']

/**
 * Gives documents, each under the line where its record begins, quoted line ends counted. Where the header line or the quotes make
 * the rest unreadable, the last line is a fault that says so.
 */
export async function* readCsv(
  source: AsyncIterable<Uint8Array>,
  collection: Collection,
  delimiter?: Delimiter,
): AsyncGenerator<Line[]> {
  const { header: first, whole } = await peekHeader(source)
  const place = openPlace()
  let failure: CsvError | undefined
  const parser: Parser = parse({
    bom: true,
    delimiter: delimiter ?? detectDelimiter(first, collection.id?.field ?? 'id'),
    info: true,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    record_delimiter: ['\r\n', '\n'],
    max_record_size: lineBytesMax,
    // An error would end the stream before the records that were read until then are taken from it.
    skip_records_with_error: true,
    on_skip: error => {
      failure ??= error
      return undefined
    },
  })
  const fed = pipeline(Readable.from(place.passing(whole), { objectMode: false }), parser)
  // What fails in it ends the loop below.
  fed.catch(() => {})
  let documentOf: ((cells: string[]) => Omit<Line, 'number'>) | undefined
  let lines: Line[] = []
  for await (const { record, info } of parser as AsyncIterable<Rec>) {
    // What stands behind may have been read anyhow, out of step.
    if (failure && info.records > Number(failure.records)) break
    const { number, isOther } = place.take(record, info.bytes)
    if (!documentOf) {
      if (isOther) {
        // In UTF-16 line ends are no bytes that could be counted.
        yield [{ number: 1, text: '', fault: 'the header line is not UTF-8; save the file as "CSV UTF-8"' }]
        return
      }
      const header = readHeader(record, collection)
      if (typeof header === 'string') {
        yield [{ number, text: '', fault: header }]
        return
      }
      documentOf = header
      continue
    }
    lines.push({ number, ...(isOther ? { text: '', fault: 'the record is not UTF-8' } : documentOf(record)) })
    if (lines.length >= linesAtOnce || parser.readableLength === 0) {
      yield lines
      lines = []
    }
  }
  if (failure) lines.push({ number: place.nextLine(), text: '', fault: faultOf(failure), breaksOff: true })
  yield lines
}

/** The header line, as far as it is there, and the stream from its beginning. */
const peekHeader = async (
  source: AsyncIterable<Uint8Array>,
): Promise<{ header: string; whole: AsyncIterable<Uint8Array> }> => {
  const chunks = source[Symbol.asyncIterator]()
  const read: Uint8Array[] = []
  const isEnd = openHeaderEnd()
  let bytes = 0
  let isThere = false
  while (!isThere && bytes < lineBytesMax) {
    const { done, value } = await chunks.next()
    if (done) break
    read.push(value)
    bytes += value.length
    isThere = value.some(isEnd)
  }
  const whole = async function* () {
    try {
      yield* read
      for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value
    } finally {
      await chunks.return?.()
    }
  }
  const header = Buffer.concat(read)
    .toString('utf8')
    .replace(/^\ufeff/, '')
  return { header: readFirstRecord(header), whole: whole() }
}

const quote = 0x22
const carriageReturn = 0x0d

/** Tells, of byte after byte, the line end of the first record: it is outside of quotes, and the line is not empty. */
const openHeaderEnd = () => {
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

/** The delimiter under which the header line has the id; else the one that it has most often. */
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
  counts.sort((one, other) => Number(other.hasId) - Number(one.hasId) || other.count - one.count)
  return counts[0]?.delimiter ?? ','
}

const faultOf = ({ code, message }: CsvError): string => {
  if (code === 'CSV_QUOTE_NOT_CLOSED')
    return 'a quote that opens a value here or further on is never closed; nothing from here on was read'
  if (code === 'CSV_MAX_RECORD_SIZE')
    return `the record is longer than ${lineBytesMax} characters (is a quote not closed, or do lines end with CR alone?); nothing from here on was read`
  return `this is no CSV: ${message}`
}

/** Where a record stands: line ends are counted in the bytes, because the library counts those inside quotes by another rule. */
const openPlace = () => {
  let chunks: Buffer[] = []
  /** Of the bytes before `chunks`. */
  let passedBytes = 0
  let passedLines = 0
  let isOther = false
  let cut = Buffer.alloc(0)
  /** Forgets up to there. */
  const pass = (end: number) => {
    while (passedBytes < end) {
      const [first] = chunks
      if (!first) return
      const part = first.subarray(0, end - passedBytes)
      passedLines += lineFeedsIn(part)
      passedBytes += part.length
      if (part.length === first.length) chunks = chunks.slice(1)
      else chunks[0] = first.subarray(part.length)
    }
  }
  /** The bytes that were not passed yet up to there. */
  const bytesTo = (end: number): Buffer => {
    const parts: Buffer[] = []
    let at = passedBytes
    for (const chunk of chunks) {
      if (at >= end) break
      parts.push(chunk.subarray(0, end - at))
      at += chunk.length
    }
    return Buffer.concat(parts)
  }
  return {
    /** Remembers the bytes until their records were given. */
    async *passing(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
      for await (const bytes of source) {
        const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
        if (!isOther) {
          const whole = cut.length === 0 ? chunk : Buffer.concat([cut, chunk])
          const end = wholeCharacters(whole)
          isOther = !isUtf8(whole.subarray(0, end))
          cut = Buffer.from(whole.subarray(end))
        }
        chunks.push(chunk)
        yield chunk
      }
      isOther ||= cut.length > 0
    },
    /** The line of a record that ends (behind its line end) at this byte, and whether it is other than UTF-8; they come in order. */
    take(cells: string[], end: number): { number: number; isOther: boolean } {
      const isRecordOther = isOther && !isUtf8(bytesTo(end))
      // Up to its own line end, of which it may have none.
      pass(end - 1)
      let inside = 0
      for (const cell of cells)
        for (let at = cell.indexOf('\n'); at >= 0; at = cell.indexOf('\n', at + 1)) inside += 1
      const number = 1 + passedLines - inside
      pass(end)
      return { number, isOther: isRecordOther }
    },
    nextLine: () => 1 + passedLines,
  }
}

const lineFeedsIn = (bytes: Buffer): number => {
  let count = 0
  for (let at = bytes.indexOf(lineFeed); at >= 0; at = bytes.indexOf(lineFeed, at + 1)) count += 1
  return count
}

/** Where the last character that may go on in the next chunk begins; UTF-8 has at most four bytes for one. */
const wholeCharacters = (bytes: Buffer): number => {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) break
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 0
    if (length > 0) return length > back ? bytes.length - back : bytes.length
  }
  return bytes.length
}

/** What turns a record's cells into a document; a text says what is wrong with the header line. */
const readHeader = (
  record: string[],
  collection: Collection,
): string | ((cells: string[]) => Omit<Line, 'number'>) => {
  const { id, fields = {} } = collection
  const idField = id?.field ?? 'id'
  if (record.some(name => name.includes('\r')))
    return 'the lines end with CR alone, as those of old Macs; allowed: LF or CRLF'
  const isExported = isExport(record, collection)
  const names = isExported ? attributesOfExport(record, idField) : record
  const unnamed = names.indexOf('')
  if (unnamed >= 0) return `the header line gives column ${unnamed + 1} no name`
  if (!names.includes(idField)) {
    const other =
      names.length === 1 && /[,;\t|]/.test(names[0] ?? '')
        ? '; allowed delimiters: comma, semicolon, tab'
        : ''
    return `the header line has no column "${idField}", which holds the id${other}`
  }
  const columns = names.map((name, at) => ({
    name,
    type: name !== undefined && Object.hasOwn(fields, name) ? fields[name]?.type : undefined,
    repeats: names.indexOf(name) !== at || names.lastIndexOf(name) !== at,
  }))
  return cells => {
    if (cells.length !== columns.length)
      return {
        text: '',
        fault: `found ${cells.length} values, allowed: as many as the header line has columns, ${columns.length}`,
      }
    const document: [string, unknown][] = []
    const several = new Map<string, unknown[]>()
    columns.forEach(({ name, type, repeats }, at) => {
      const cell = isExported ? unescapeFormula(cells[at] ?? '') : (cells[at] ?? '')
      if (name === undefined || cell === '') return
      const value = name === idField ? readId(type, cell, isExported) : readCell(type, cell)
      if (!repeats) {
        document.push([name, value])
        return
      }
      const values = several.get(name) ?? []
      if (values.length === 0) document.push([name, values])
      several.set(name, values)
      values.push(...(Array.isArray(value) ? value : [value]))
    })
    return { text: '', document: Object.fromEntries(document) }
  }
}

/**
 * Whether the header line is that of exported results. If the collection itself has a field of such a name, only the order in which an
 * export has its columns tells.
 */
const isExport = (names: readonly string[], { fields = {}, class: classes }: Collection): boolean => {
  const isLeading = ['rank', 'probability', 'id', 'class'].every((name, at) => names[at] === name)
  const own = [...Object.keys(fields), ...(classes && !Array.isArray(classes) ? [classes.field] : [])]
  const isAmbiguous = exportColumns.some(name => own.includes(name))
  return isLeading || (!isAmbiguous && [...exportColumns, 'id'].every(name => names.includes(name)))
}

/** The attribute that each column of an export has; undefined for those that are no attributes. */
const attributesOfExport = (names: readonly string[], idField: string): (string | undefined)[] => {
  const attributes = names.map(written => {
    const name = unescapeFormula(written)
    if (exportColumns.includes(name) || name.startsWith(highlightPrefix)) return undefined
    return name.startsWith(attributePrefix) ? name.slice(attributePrefix.length) : name
  })
  // The URI is the id, unless the field that holds the id is there as an attribute.
  const uri = names.indexOf('id')
  attributes[uri] = undefined
  if (!attributes.includes(idField)) attributes[uri] = idField
  return attributes
}

/** Cells that differ are ids that differ: of `7`, `7.0` and `007` the first alone is a number. */
const readId = (type: FieldType | undefined, cell: string, isExported: boolean): unknown => {
  const number = type === 'number' ? readFieldValue(type, cell) : undefined
  if (String(number) === cell) return number
  return isExported && type === 'keyword' ? readTextCell(cell) : cell
}

/** What no rule fits stays text: whoever checks the document says what is allowed. */
const readCell = (type: FieldType | undefined, cell: string): unknown => {
  if (type === undefined || type === 'text') return cell
  if (type === 'keyword') return readTextCell(cell)
  const text = cell.trim()
  const json = /^[[{]/.test(text) ? readJson(text) : undefined
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
