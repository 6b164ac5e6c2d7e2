/** Reads the documents at the beginning of a file, as an import would. */
import { readColumnNames, readCsv } from '#documents/csv'
import { hasTooManyParts, isShallow, tooDeep, tooManyParts } from '#documents/document-size'
import { readJsonRows } from '#documents/json-rows'
import { type Line, readLines } from '#documents/lines'

/** Number of documents that a proposal looks at. */
export const sampleDocumentsMax = 2000

export type SampleFormat = 'ndjson' | 'json' | 'csv'

export interface Sample {
  /** At least one. */
  documents: Record<string, unknown>[]
  /** The attributes, in the order of their first appearance. */
  names: string[]
  /** Cells of CSV are text, whatever they mean. */
  isTable: boolean
}

/**
 * Reads a sample. `isCut`: more of the file follows, so its last record may be incomplete. Returns a text that says what is wrong if the
 * file has no readable document.
 */
export const readSample = async (
  bytes: Uint8Array,
  format: SampleFormat,
  isCut: boolean,
): Promise<Sample | string> => {
  const lines: Line[] = []
  for await (const part of reader(bytes, format)) {
    lines.push(...part)
    if (lines.length > sampleDocumentsMax) break
  }
  const complete = isCut ? lines.slice(0, -1) : lines
  const documents: Record<string, unknown>[] = []
  let fault: string | undefined
  for (const line of complete.slice(0, sampleDocumentsMax)) {
    const document = parseDocument(line)
    if (typeof document === 'object') documents.push(document)
    else if (document !== undefined) fault ??= `line ${line.number}: ${document}`
  }
  if (documents.length === 0) return fault ?? 'the file has no documents'
  const names = [...new Set(documents.flatMap(document => Object.keys(document)))]
  return { documents, names, isTable: format === 'csv' }
}

const reader = (bytes: Uint8Array, format: SampleFormat): AsyncGenerator<Line[]> => {
  const source = (async function* () {
    yield bytes
  })()
  if (format === 'ndjson') return readLines(source)
  if (format === 'json') return readJsonRows(source)
  // The reader needs an id. Any column will do, and there is always a first.
  const [field = 'id'] = tryReadColumnNames(bytes)
  return readCsv(source, { id: { field } })
}

/** None if the header line is broken; the reader says how. */
const tryReadColumnNames = (bytes: Uint8Array): string[] => {
  try {
    return readColumnNames(bytes)
  } catch {
    return []
  }
}

/** Returns the document, a text that says what is wrong, or undefined for a blank line. The checks are those of an import. */
const parseDocument = ({ text, document, fault }: Line): Record<string, unknown> | string | undefined => {
  if (fault !== undefined) return fault
  if (document === undefined && text.trim() === '') return undefined
  if (hasTooManyParts(text)) return tooManyParts
  const value = document ?? parseJson(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'not a JSON object'
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
