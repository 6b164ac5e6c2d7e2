/** The first documents of a file, for a preview before the import. */
import { detectFormat } from '@querent/contract/document-format'
import { parse } from 'csv-parse/browser/esm/sync'
import { isGzip } from '#api/documents.ts'
import { readBeginning } from './read-text.ts'

/** Enough for the documents of a preview. */
const sampleCharacters = 256 * 1024
const documentsShown = 5
export const delimiters = [',', ';', '\t'] as const

export interface Sample {
  /** Names of the attributes, in the order of their first appearance. */
  names: string[]
  documents: Record<string, unknown>[]
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
    return readTable(text, isCut, isGzip(file.name), delimiter ?? detect(text, idField))
  const documents = format === 'json' ? readArray(text) : readLines(text, isCut)
  return { documents, names: [...new Set(documents.flatMap(document => Object.keys(document)))] }
}

/** Options of the parser that read as the server does. */
const tolerant = { bom: true, relax_quotes: true, relax_column_count: true, skip_empty_lines: true } as const

const readHeader = (text: string, delimiter: string): { names: string[]; bytes: number } => {
  // The types of the library do not know that `info` changes the records.
  const [first] = parse(text, { ...tolerant, delimiter, to: 1, info: true }) as unknown as {
    record: string[]
    info: { bytes: number }
  }[]
  return { names: first?.record ?? [], bytes: first?.info.bytes ?? 0 }
}

const detect = (text: string, idField: string): string => {
  const headers = delimiters.map(delimiter => ({ delimiter, ...readHeader(text, delimiter) }))
  const hasId = headers.find(({ names }) => names.includes(idField))
  const [longest] = headers.toSorted((one, next) => next.names.length - one.names.length)
  return (hasId ?? longest)?.delimiter ?? ','
}

const readTable = (text: string, isCut: boolean, isCompressed: boolean, delimiter: string): Sample => {
  const { names, bytes } = readHeader(text, delimiter)
  const rows: string[][] = parse(isCut ? text.slice(0, text.lastIndexOf('\n') + 1) : text, {
    ...tolerant,
    delimiter,
    from: 2,
    to: documentsShown + 1,
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
const readArray = (text: string): Record<string, unknown>[] => {
  const value = parseJson(text)
  if (Array.isArray(value)) return readItems(value).slice(0, documentsShown)
  if (!isObject(value)) return []
  const [longest] = findLists(value).toSorted((one, next) => next.length - one.length)
  const documents = longest?.map(flattenFeature) ?? readKeyedDocuments(value)
  return documents.slice(0, documentsShown)
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
    return JSON.parse(text.replace(/^\ufeff/, ''))
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
