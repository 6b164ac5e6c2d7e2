/** Reads a sample of the documents of a file, as an import would. */
import type { ProposedRows, UnreadableDocuments } from '@querent/contract/proposal'
import type { Collection } from '@querent/contract/workspace-file'
import { readBulkLines } from '#documents/bulk-lines'
import { guessColumns, readCsv } from '#documents/csv'
import { exportColumns } from '#documents/csv-columns'
import type { CsvLayout } from '#documents/csv-layout'
import { hasTooManyParts, isShallow, tooDeep, tooManyParts } from '#documents/document-size'
import { readJsonRows } from '#documents/json-rows'
import { findLineFault, writeFaultPlace } from '#documents/line-fault'
import { type Line, readLines } from '#documents/lines'
import { readJsonText } from '#documents/text-encoding'
import { hasRowsOfLines, readJsonPart, readRecordPart } from './read-part.ts'

/** Number of documents at the beginning of a file whose values a proposal looks at, and at its other parts together. */
export const sampleDocumentsMax = 2000
/** Number of documents at the beginning that are taken without gaps. */
const firstDocuments = 100
/** Number of documents of the beginning that are read to compare their ids. */
const readDocumentsMax = 20_000

export type SampleFormat = 'ndjson' | 'json' | 'csv'

/** Where the documents of a sample come from. */
export type SampleCoverage = 'whole' | 'beginning' | 'spread'

export interface Sample {
  /** At least one. */
  documents: Record<string, unknown>[]
  /** All that were read, so that their ids can be compared: `documents` and others. */
  allDocuments: Record<string, unknown>[]
  /** The attributes, in the order of their first appearance. */
  names: string[]
  /** Cells of CSV are text, whatever they mean. */
  isTable: boolean
  coverage: SampleCoverage
  /** The list inside a JSON object that has the documents, if the object has others. */
  rows?: ProposedRows
  unreadable?: UnreadableDocuments
}

/**
 * Reads a sample. `isCut`: more of the file follows, so its last record may be incomplete. `parts` are from later in the file, and may begin and
 * end within a record. `rows` is the path of the list inside a JSON object. Returns a text that says what is wrong if the file has no readable document.
 */
export const readSample = async (
  bytes: Uint8Array,
  format: SampleFormat,
  isCut: boolean,
  parts: readonly Uint8Array[] = [],
  rows?: string,
): Promise<Sample | string> => {
  const lines: Line[] = []
  const table = format === 'csv' ? describeTable(bytes) : undefined
  let list: ProposedRows | undefined
  const onList = (path: string, others: string[]) => {
    if (path !== '' && others.length > 0) list = { path, others }
  }
  for await (const part of reader(bytes, format, { table, isCut, rows, onList })) {
    lines.push(...part)
    if (lines.length > readDocumentsMax) break
  }
  const isShortened = isCut || lines.length > readDocumentsMax
  const complete = (isCut ? lines.slice(0, -1) : lines).slice(0, readDocumentsMax)
  const { first, fault, unreadable } = parseLines(complete, format !== 'ndjson')
  if (fault !== undefined) return fault
  const laterDocuments = await readParts(bytes, { format, table, parts, first })
  const documents = [...pickEvenly(first), ...pickEvenly(laterDocuments)]
  const attributes = new Set(documents.flatMap(document => Object.keys(document)))
  const names = [...new Set([...listColumns(table, attributes), ...attributes])]
  const isAll = documents.length === first.length && laterDocuments.length === 0
  const coverage =
    isShortened && laterDocuments.length === 0 ? 'beginning' : isShortened || !isAll ? 'spread' : 'whole'
  return {
    documents,
    allDocuments: [...first, ...laterDocuments],
    names,
    isTable: format === 'csv',
    coverage,
    ...(list ? { rows: list } : {}),
    ...(unreadable ? { unreadable } : {}),
  }
}

interface ReadDocuments {
  first: Record<string, unknown>[]
  fault?: string
  unreadable?: UnreadableDocuments
}

/** `fault` says why nothing can be read, or why the rest of a table or a list cannot: a quote is never closed, or the file is cut off. */
const parseLines = (lines: readonly Line[], isWhole: boolean): ReadDocuments => {
  const first: Record<string, unknown>[] = []
  let fault: string | undefined
  let faults = 0
  for (const line of lines) {
    const document = parseDocument(line)
    if (typeof document === 'object') first.push(document)
    else if (document !== undefined) {
      fault ??= describeFault(line, document)
      faults += 1
    }
    if (isWhole && line.breaksOff) return { first, fault: `line ${line.number}: ${line.fault}` }
  }
  if (first.length === 0) return { first, fault: fault ?? 'the file has no documents' }
  return fault === undefined ? { first } : { first, unreadable: { documents: faults, first: fault } }
}

const notAnObject = 'not a JSON object'

/** Says at which line and column the text of a document stops being JSON, or at which line it is something else. */
const describeFault = (line: Line, message: string): string => {
  const syntax = message === notAnObject && line.document === undefined ? findLineFault(line) : undefined
  return syntax
    ? `${writeFaultPlace(syntax)}: this is not JSON: ${syntax.message}`
    : `line ${line.number}: ${message}`
}

/** Returns the columns of a table in their order, also those without a value. Those of an export are others than the attributes. */
const listColumns = (table: Table | undefined, attributes: ReadonlySet<string>): string[] =>
  table?.names.some(name => attributes.has(name)) && !exportColumns.every(name => table.names.includes(name))
    ? table.names
    : []

/** Returns at most {@link sampleDocumentsMax}, the first ones and others from all over the list. */
const pickEvenly = <T>(items: readonly T[]): T[] => {
  if (items.length <= sampleDocumentsMax) return [...items]
  const rest = items.slice(firstDocuments)
  const step = rest.length / (sampleDocumentsMax - firstDocuments)
  return [
    ...items.slice(0, firstDocuments),
    ...Array.from(
      { length: sampleDocumentsMax - firstDocuments },
      (_, index) => rest[Math.floor(index * step)],
    ),
  ].flatMap(item => item ?? [])
}

const chunkBytes = 64 * 1024

interface Table {
  /** The named columns, also those without a value. */
  names: string[]
  /** Says where the header line is. The reader needs an id: any column will do. */
  collection: Collection
  layout: CsvLayout
}

interface ReadOptions {
  table?: Table | undefined
  isCut?: boolean
  /** Path of the list inside a JSON object. */
  rows?: string | undefined
  onList?: (path: string, others: string[]) => void
}

const reader = (bytes: Uint8Array, format: SampleFormat, options: ReadOptions): AsyncGenerator<Line[]> => {
  // Small chunks let the caller stop early, and bound the documents that come at once.
  const source = (async function* () {
    for (let start = 0; start < bytes.length; start += chunkBytes)
      yield bytes.subarray(start, start + chunkBytes)
  })()
  return readStream(source, format, options)
}

const readStream = (
  source: AsyncIterable<Uint8Array>,
  format: SampleFormat,
  { table, isCut = false, rows, onList }: ReadOptions,
): AsyncGenerator<Line[]> => {
  if (format === 'ndjson') return readLines(readBulkLines(readJsonText(source)))
  if (format === 'json') return readJsonRows(readJsonText(source), rows, isCut, onList)
  return readCsv(source, table?.collection ?? {})
}

/** Yields the documents of a whole file, whose `beginning` says what its columns are. Leaves out lines that are no documents. */
export async function* readDocuments(
  source: AsyncIterable<Uint8Array>,
  format: SampleFormat,
  beginning: Uint8Array,
  rows?: string,
): AsyncGenerator<Record<string, unknown>[]> {
  const table = format === 'csv' ? describeTable(beginning) : undefined
  for await (const lines of readStream(source, format, { table, rows }))
    yield lines.map(parseDocument).filter(document => typeof document === 'object')
}

const describeTable = (bytes: Uint8Array): Table => {
  const { names, layout } = guessColumns(bytes)
  const [field = 'id'] = names
  const fields = names.filter(name => !exportColumns.includes(name)).map(name => [name, { type: 'text' }])
  const declaredNames = names.filter((name, index) => name !== `column-${index + 1}`)
  return { names: declaredNames, collection: { id: { field }, fields: Object.fromEntries(fields) }, layout }
}

/** Returns the documents of the parts. Leaves out a part that is not readable. */
const readParts = async (
  beginning: Uint8Array,
  {
    format,
    table,
    parts,
    first,
  }: {
    format: SampleFormat
    table: Table | undefined
    parts: readonly Uint8Array[]
    first: readonly Record<string, unknown>[]
  },
): Promise<Record<string, unknown>[]> => {
  const documents: Record<string, unknown>[] = []
  const hasTitle = table !== undefined && table.layout.skippedRecords > 0
  if (table && parts.length > 0 && (hasTitle || hasRowsOfLines(beginning))) return documents
  const header = table && !table.layout.isHeaderless ? beginning : undefined
  for (const part of parts) {
    const bytes = format === 'json' ? readJsonPart(part, first) : readRecordPart(part, header)
    if (bytes === undefined) continue
    const lines: Line[] = []
    for await (const block of reader(bytes, format, { table })) lines.push(...block)
    const read = lines.map(parseDocument)
    if (read.some(document => typeof document === 'string')) continue
    const objects = read.filter(document => typeof document === 'object')
    documents.push(...objects)
  }
  return documents
}

/** Returns the document, a text that says what is wrong, or undefined for a blank line. The checks are those of an import. */
const parseDocument = ({ text, document, fault }: Line): Record<string, unknown> | string | undefined => {
  if (fault !== undefined) return fault
  if (document === undefined && text.trim() === '') return undefined
  if (hasTooManyParts(text)) return tooManyParts
  const value = document ?? parseJson(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return notAnObject
  // Checked above.
  return isShallow(value) ? (value as Record<string, unknown>) : tooDeep
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
