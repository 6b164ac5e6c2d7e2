/** The first documents of a file, for a preview before the import. */
import { detectFormat } from '@querent/contract/document-format'
import { parseExactJson } from '@querent/contract/exact-json'
import { CsvError, parse } from 'csv-parse/browser/esm/sync'
import { isGzip } from '#api/documents.ts'
import { t } from '#i18n/translate.ts'
import { findOpenQuote } from './open-quote.ts'
import { readBeginning } from './read-text.ts'

/** Enough for the documents of a preview. */
const sampleCharacters = 256 * 1024
export const documentsShown = 5
export const delimiters = [',', ';', '\t', '|'] as const
/** A title or comments above the header line are shorter. */
const headerRecordsMax = 30
const columnName = /^column-\d+$/

export interface Sample {
  /** Names of the attributes, in the order of their first appearance. */
  names: string[]
  documents: Record<string, unknown>[]
  /** Says where a file stops being JSON, so that it has no preview. An import may take its other documents. */
  fault?: string
  /** Undefined if the file is no CSV. */
  table?: {
    delimiter: string
    /** Bytes of the header line. Undefined if it cannot be replaced, because the file is compressed. */
    headerBytes: number | undefined
  }
}

/** Reads the beginning of a file. Without `delimiter`, it takes the one that gives the header an id, or the most columns. */
export const readSample = async (file: File, idField: string, delimiter?: string): Promise<Sample> => {
  const { text, isCut } = await readBeginning(file, sampleCharacters)
  const format = detectFormat(file.name, text)
  if (format === 'csv' || format === 'tsv')
    try {
      return readTable(text, isCut, isGzip(file.name), {
        delimiter: delimiter ?? detect(text, idField),
        idField,
      })
    } catch (error) {
      if (error instanceof CsvError && error.code === 'CSV_QUOTE_NOT_CLOSED') throw new OpenQuote(text)
      throw error
    }
  const documents = format === 'json' ? readArray(text) : readLines(text, isCut)
  if (format === 'json' && !isCut && documents.length === 0) {
    const { describeJsonFault } = await import('./json-fault.ts')
    const fault = describeJsonFault(text)
    if (fault !== undefined) return { documents, names: [], fault }
  }
  return { documents, names: [...new Set(documents.flatMap(document => Object.keys(document)))] }
}

/** A value of a CSV file begins with a quote that nothing closes. */
export class OpenQuote extends Error {
  constructor(text: string) {
    super(
      t('Line {line}: a quote opens a value and is never closed. Correct the file, and choose it again.', {
        line: String(findOpenQuote(text)),
      }),
    )
  }
}

/** Options of the parser that read as the server does. */
const tolerant = { bom: true, relax_quotes: true, relax_column_count: true, skip_empty_lines: true } as const

interface Header {
  names: string[]
  /** Bytes up to the end of the header line. */
  bytes: number
  /** Position of the first record below it, from 1. */
  from: number
}

/** Reads the first record, or the later one that has the id; the names are positions if the id is one. */
const readHeader = (text: string, delimiter: string, idField: string): Header => {
  // The types of the library do not know that `info` changes the records.
  const records = parse(text, { ...tolerant, delimiter, to: headerRecordsMax, info: true }) as unknown as {
    record: string[]
    info: { bytes: number }
  }[]
  const readNames = (record: readonly string[]) =>
    record.map((name, index) => name.trim() || `column-${index + 1}`)
  const index = Math.max(
    records.findIndex(({ record }) => record.some(name => name.trim() === idField)),
    0,
  )
  const { record, info } = records[index] ?? { record: [], info: { bytes: 0 } }
  const names = readNames(record)
  if (columnName.test(idField) && !names.includes(idField))
    return { names: readNames(record.map(() => '')), bytes: 0, from: 1 }
  return { names, bytes: info.bytes, from: index + 2 }
}

const detect = (text: string, idField: string): string => {
  const headers = delimiters.map(delimiter => ({ delimiter, ...readHeader(text, delimiter, idField) }))
  const hasId = headers.find(({ names }) => names.includes(idField))
  const [longest] = headers.toSorted((one, next) => next.names.length - one.names.length)
  return (hasId ?? longest)?.delimiter ?? ','
}

const readTable = (
  text: string,
  isCut: boolean,
  isCompressed: boolean,
  { delimiter, idField }: { delimiter: string; idField: string },
): Sample => {
  const { names, bytes, from } = readHeader(text, delimiter, idField)
  const rows: string[][] = parse(isCut ? text.slice(0, text.lastIndexOf('\n') + 1) : text, {
    ...tolerant,
    delimiter,
    from,
    to: documentsShown + from - 1,
  })
  const documents = rows.map(cells => Object.fromEntries(names.map((name, index) => [name, cells[index]])))
  return { names, documents, table: { delimiter, headerBytes: isCompressed ? undefined : bytes } }
}

const readLines = (text: string, isCut: boolean): Record<string, unknown>[] =>
  (isCut ? text.split('\n').slice(0, -1) : text.split('\n'))
    .filter(line => line.trim() !== '')
    .slice(0, documentsShown)
    .flatMap(line => {
      const document = parseJson(line)
      return isObject(document) ? [document] : []
    })

/** A file that is longer than the sample has no preview. */
const readArray = (text: string): Record<string, unknown>[] =>
  readJsonDocuments(text).slice(0, documentsShown)

/** Returns the documents of a JSON file; none of text that is cut off. `rows`: path of the list, if it is not the longest. */
export const readJsonDocuments = (text: string, rows?: string): Record<string, unknown>[] => {
  const value = parseJson(text)
  if (Array.isArray(value)) return readItems(value)
  if (!isObject(value)) return []
  if (rows !== undefined) return readAt(value, rows.split('.'))
  const [longest] = findLists(value).toSorted((one, next) => next.length - one.length)
  return longest?.map(flattenFeature) ?? readKeyedDocuments(value)
}

const readAt = (value: unknown, [step, ...others]: readonly string[]): Record<string, unknown>[] => {
  if (step !== undefined) return isObject(value) ? readAt(value[step], others) : []
  return Array.isArray(value)
    ? value.filter(isObject).map(flattenFeature)
    : isObject(value)
      ? readKeyedDocuments(value)
      : []
}

/** The server takes plain values as documents too, if the first item is one. */
const readItems = (items: readonly unknown[]): Record<string, unknown>[] =>
  isObject(items[0]) ? items.filter(isObject) : items.map(value => (isObject(value) ? value : { value }))

/** An object without lists is documents by their keys. */
const readKeyedDocuments = (value: Record<string, unknown>): Record<string, unknown>[] =>
  Object.entries(value).flatMap(([key, document]) => (isObject(document) ? [{ key, ...document }] : []))

/** Returns the lists of objects inside an object. The server reads the longest one. */
const findLists = (value: Record<string, unknown>): Record<string, unknown>[][] =>
  Object.values(value).flatMap(inner => {
    if (Array.isArray(inner)) return [inner.filter(isObject)]
    return isObject(inner) ? findLists(inner) : []
  })

/** The server does the same with features of GeoJSON. */
const flattenFeature = (item: Record<string, unknown>): Record<string, unknown> => {
  const { type, id, properties, geometry } = item
  if (type !== 'Feature' || !isObject(properties)) return item
  return { ...(id === undefined ? {} : { id }), ...properties, geometry }
}

const parseJson = (text: string): unknown => {
  try {
    return parseExactJson(text.replace(/^\ufeff/, ''))
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the same CSV file with another header line: the column becomes the one of the id. The rest is not read. */
export const renameColumn = (file: File, { names, table }: Sample, column: string, idField: string): File => {
  if (!table?.headerBytes) return file
  const header = names.map(name => `"${(name === column ? idField : name).replaceAll('"', '""')}"`)
  // A header of several lines stays as long, so that the numbers of rejected lines are those of the file.
  return new File([`${header.join(table.delimiter)}\n`, file.slice(table.headerBytes)], file.name)
}
