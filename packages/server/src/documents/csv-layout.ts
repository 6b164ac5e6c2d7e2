/** Finds the delimiter and the header line of a CSV file, whose first lines may be a title or comments. */
import type { Collection } from '@querent/contract/workspace-file'
import { parse } from 'csv-parse/sync'
import { nameColumns } from './csv-columns.ts'

export const delimiters = [',', ';', '\t', '|'] as const
export type Delimiter = (typeof delimiters)[number]

/** Stands between no cells: each line of a file with one column is a value, whatever signs it has. */
export const noDelimiter = '\u001f'

export interface CsvLayout {
  delimiter: Delimiter | typeof noDelimiter
  /** Number of records before the header line. */
  skippedRecords: number
  /** Whether the first record after these is a document. Columns have names by their position. */
  isHeaderless: boolean
}

/** Records that are looked at. A title or comments are shorter. */
const recordsMax = 30
const columnName = /^column-\d+$/

/** Returns the names that a header line may have: those of the id and of the attributes that fields are made from. */
export const listKnownNames = ({ id, fields = {} }: Collection): ReadonlySet<string> =>
  new Set([
    ...(id?.generate === undefined ? [id?.field ?? 'id'] : []),
    ...Object.entries(fields).flatMap(([name, field]) => [
      name,
      ...('source' in field && field.source !== undefined ? [field.source] : []),
      ...(field.type === 'geo' && field.from !== undefined ? [field.from.lat, field.from.lon] : []),
    ]),
  ])

/**
 * Whether the record is the header line for a collection: it has the id, or a name of a field if ids are generated. Names by position alone are those
 * of a file without a header line.
 */
const fitsHeader = (record: readonly string[], idField: string | undefined, names: ReadonlySet<string>) => {
  const cells = nameColumns(record)
  const isNamed = cells.some(cell => names.has(cell) && !columnName.test(cell))
  return isNamed && (idField === undefined || cells.includes(idField))
}

/**
 * Returns the layout of a file that begins with this text, for the collection that it is imported into. The first record is the header line, unless
 * it lacks the id, or all fields if ids are generated, and a later one has it; or unless the fields have names by position. `stated`: the delimiter.
 */
export const findLayout = (
  beginning: string,
  collection: Collection,
  stated?: Delimiter | undefined,
): CsvLayout => {
  const { id } = collection
  const idField = id?.generate === undefined ? (id?.field ?? 'id') : undefined
  const names = listKnownNames(collection)
  const { comments, rest } = splitComments(beginning)
  if (comments > 0) {
    const layout = findLayout(rest, collection, stated)
    return { ...layout, skippedRecords: comments + layout.skippedRecords }
  }
  const candidates = stated === undefined ? rankDelimiters(beginning) : [stated]
  const [delimiter = ','] = candidates
  for (const candidate of candidates) {
    const records = readRecords(beginning, candidate)
    const headerIndex = records.findIndex(record => fitsHeader(record, idField, names))
    if (headerIndex === 0 || (headerIndex > 0 && countKnown(records[headerIndex], names) > 1))
      return {
        delimiter: stated ?? (headerIndex === 0 && isOneColumn(records) ? noDelimiter : candidate),
        skippedRecords: headerIndex,
        isHeaderless: false,
      }
  }
  return {
    delimiter: stated ?? (isOneColumn(readRecords(beginning, delimiter)) ? noDelimiter : delimiter),
    skippedRecords: 0,
    isHeaderless: [...names].some(name => columnName.test(name)),
  }
}

/** Whether the first record and most others have no delimiter. */
const isOneColumn = (records: readonly string[][]): boolean =>
  records[0]?.length === 1 && findCommonLength(records) === 1

const countKnown = (record: readonly string[] = [], names: ReadonlySet<string>): number =>
  record.filter(cell => names.has(cell.trim())).length

/** Whether the first record is the header line for the collection, with any delimiter: then no more has to be read. */
export const startsWithHeader = (
  firstRecord: string,
  collection: Collection,
  stated?: Delimiter,
): boolean => {
  const { delimiter, skippedRecords, isHeaderless } = findLayout(firstRecord, collection, stated)
  const names = listKnownNames(collection)
  return (
    names.size === 0 ||
    (skippedRecords === 0 &&
      !isHeaderless &&
      delimiter !== noDelimiter &&
      (stated === undefined ? delimiters : [stated]).some(
        delimiter => countKnown(readRecords(firstRecord, delimiter)[0], names) > 0,
      ))
  )
}

/** Returns the layout of a file for which there is no collection yet, by what its first records look like. */
export const guessLayout = (beginning: string): CsvLayout => {
  const { comments, rest } = splitComments(beginning)
  const layout = guessTableLayout(rest)
  return { ...layout, skippedRecords: comments + layout.skippedRecords }
}

/** Fewer comments are among the first records. */
const commentsMin = 5

/**
 * Splits off the comments before a table: many lines that begin with `#`. The last one stays if it has as many cells as the line below it, or more,
 * because it names the columns.
 */
const splitComments = (beginning: string): { comments: number; rest: string } => {
  const lines = beginning.split('\n')
  let end = lines.findIndex(line => !line.startsWith('#'))
  if (end < commentsMin) return { comments: 0, rest: beginning }
  const countCells = (line = '') => line.split('\t').length
  const cells = countCells(lines[end])
  if (cells > 1 && countCells(lines[end - 1]) >= cells) end -= 1
  return { comments: end, rest: lines.slice(end).join('\n') }
}

const guessTableLayout = (beginning: string): CsvLayout => {
  const [delimiter = ','] = rankDelimiters(beginning)
  const records = readRecords(beginning, delimiter)
  const header = findTable(records)
  return {
    delimiter: header === 0 && isOneColumn(records) ? noDelimiter : delimiter,
    skippedRecords: header,
    isHeaderless: isData(records[header] ?? [], records.slice(header + 1)),
  }
}

/** Returns the delimiters, the likeliest first: those of the first record, otherwise those that most records agree on. */
const rankDelimiters = (text: string): Delimiter[] => {
  const first = readFirstRecord(text).replaceAll(/"[^"]*"/g, '')
  const ranked = delimiters.map(delimiter => {
    const records = readRecords(text, delimiter)
    const cells = findCommonLength(records)
    const agreeing = cells > 1 ? records.filter(({ length }) => length === cells).length : 0
    return { delimiter, inFirst: first.split(delimiter).length - 1, agreeing }
  })
  // A `|` may separate the values of a list.
  const hasOther = ranked.some(({ delimiter, inFirst }) => delimiter !== '|' && inFirst > 0)
  return ranked
    .map(entry => (entry.delimiter === '|' && hasOther ? { ...entry, inFirst: 0, agreeing: 0 } : entry))
    .toSorted((one, next) => next.inFirst - one.inFirst || next.agreeing - one.agreeing)
    .map(({ delimiter }) => delimiter)
}

/** Returns the number of cells that most records have. */
const findCommonLength = (records: readonly string[][]): number => {
  const counts = new Map<number, number>()
  for (const { length } of records) counts.set(length, (counts.get(length) ?? 0) + 1)
  const [best] = [...counts].toSorted(([, one], [, next]) => next - one)
  return best?.[0] ?? 0
}

/** Returns the position of the first record that is no title and no comment. */
const findTable = (records: readonly string[][]): number => {
  const cells = findCommonLength(records)
  const isBefore = (record: readonly string[]): boolean => {
    const filled = record.filter(cell => cell.trim() !== '').length
    const isComment = record[0]?.trimStart().startsWith('#') === true && record.length !== cells
    const isTitle = filled === 0 || (filled === 1 && record[0]?.trim() !== '')
    return isComment || (cells > 1 && isTitle)
  }
  const start = records.findIndex(record => !isBefore(record))
  // The rest is a table only if most of it has these cells.
  const rest = records.slice(start).filter(({ length }) => length === cells)
  return start > 0 && rest.length > 2 && rest.length >= (records.length - start) / 2 ? start : 0
}

const number = /^-?(\d+\.\d+|\d+)(e-?\d+)?$/i
const date = /^\d{4}-\d\d-\d\d|^\d{1,2}[./]\d{1,2}[./]\d{4}|^\d{1,2} [A-Z][a-z]{2} \d{4}\b/
/** A header may have years. */
const yearMin = 1000
const yearMax = 2100
const rowsMin = 3
const sortedWordsMin = 20

/** Whether the record has values rather than names: a number or a date over a column of them. Years and numbers in order are names. */
const isData = (record: readonly string[], rows: readonly string[][]): boolean => {
  if (rows.length < rowsMin) return false
  if (record.length === 1) return isSortedList([record, ...rows].map(([cell = '']) => cell))
  const cells = record.map(cell => cell.trim())
  const numbers = cells.filter(cell => number.test(cell)).map(Number)
  const isSequence =
    numbers.length > 1 &&
    numbers.every((value, index) => index === 0 || value === (numbers[index - 1] ?? 0) + 1)
  const isYears = numbers.every(value => Number.isInteger(value) && value >= yearMin && value <= yearMax)
  const hasPattern = (pattern: RegExp) =>
    cells.some(
      (cell, index) =>
        pattern.test(cell) &&
        rows.filter(row => pattern.test(row[index]?.trim() ?? '')).length >= 0.8 * rows.length,
    )
  return (
    hasPattern(date) ||
    (numbers.length > 0 && !isSequence && !isYears && hasPattern(number)) ||
    isRepeated(cells, rows)
  )
}

/** Whether cells of the record are values of their columns: they occur there again, or the first record has no value where others have one. */
const isRepeated = (cells: readonly string[], rows: readonly string[][]): boolean => {
  const otherRows = rows.filter(row => row.join('\n') !== cells.join('\n'))
  const listValues = (index: number) =>
    new Set(otherRows.map(row => row[index]?.trim() ?? '').filter(cell => cell !== ''))
  // The only value of a column may be its name, as a mark.
  const occurs = (cell: string, index: number) => listValues(index).has(cell) && listValues(index).size > 1
  const repeated = cells.filter((cell, index) => cell !== '' && occurs(cell, index)).length
  // Names of rows have no name often.
  const missing = cells.filter(
    (cell, index) => index > 0 && cell === '' && otherRows.some(row => (row[index]?.trim() ?? '') !== ''),
  ).length
  return repeated > 1 || (repeated === 1 && missing > 0)
}

/** Whether texts are in order, the first one too: a list of words. */
const isSortedList = (texts: readonly string[]): boolean =>
  texts.length > sortedWordsMin &&
  texts.every((text, index) => index === 0 || (texts[index - 1] ?? '') <= text)

/** Returns the first records; none of a text that is no CSV. */
const readRecords = (text: string, delimiter: Delimiter): string[][] => {
  try {
    return parse(text, {
      delimiter,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      skip_records_with_error: true,
      to: recordsMax,
    })
  } catch {
    return []
  }
}

/** Returns the text of the first record. */
export const readFirstRecord = (text: string): string =>
  /^(?:[^"\n]+|"[^"]*(?:"|$))*/.exec(text.replace(/^[\r\n]+/, ''))?.[0] ?? ''
