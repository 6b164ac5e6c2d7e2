/** Finds the delimiter and the header line of a CSV file, whose first lines may be a title or comments. */
import type { Collection } from '@querent/contract/workspace-file'
import { parse } from 'csv-parse/sync'
import { nameColumns } from './csv-columns.ts'
import { commentMark, isData, isNumber } from './csv-values.ts'
import { isLog } from './log-lines.ts'

export const delimiters = [',', ';', '\t', '|'] as const
/** `:` and `::` are only detected. */
export type Delimiter = (typeof delimiters)[number] | ':' | '::'

/** Stands between no cells: each line of a file with one column is a value, whatever signs it has. */
export const noDelimiter = '\u001f'

export interface CsvLayout {
  delimiter: Delimiter | typeof noDelimiter
  /** Number of records before the header line. */
  skippedRecords: number
  /** Whether the first record after these is a document. Columns have names by their position. */
  isHeaderless: boolean
  /** Whether the header line has no name for the first column, as in tables that R writes. */
  isFirstUnnamed: boolean
  /** Whether the file begins with comments. Later ones are none of its documents either. */
  hasComments: boolean
}

/** Separates cells only if all records agree, and none of {@link delimiters} does: times and addresses have it too. */
const weakDelimiter = ':' as const
/** The same, as the files of MovieLens have it. Names and lists in the cells may have any other sign. */
const doubleDelimiter = '::' as const
const weakCellsMin = 3
/** A time of day in seconds, such as lines of a log have. */
const time = /(?<!\d)\d\d:\d\d:\d\d(?!\d)/

/** Records that are looked at. A title or comments are shorter. */
const recordsMax = 30
const rowsMin = 3
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
  if (isLogFor(names, beginning, stated)) return logLayout
  const { comments, rest } = splitComments(beginning)
  if (comments > 0) {
    const layout = findLayout(rest, collection, stated)
    return { ...layout, skippedRecords: comments + layout.skippedRecords, hasComments: true }
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
        isFirstUnnamed: isShorter(records, headerIndex),
        hasComments: headerIndex > 0 && isComment(records[0]),
      }
  }
  const records = readRecords(beginning, delimiter)
  const isHeaderless = [...names].some(name => columnName.test(name))
  const skippedRecords = isHeaderless ? findTable(records) : 0
  return {
    delimiter: stated ?? (isOneColumn(records) ? noDelimiter : delimiter),
    skippedRecords,
    isHeaderless,
    isFirstUnnamed: false,
    hasComments: skippedRecords > 0 && isComment(records[0]),
  }
}

const isComment = (record: readonly string[] | undefined): boolean =>
  commentMark.test(record?.[0]?.trimStart() ?? '')

/** Whether the header line has one name less than all rows have cells: R names no column of row names. */
const isShorter = (records: readonly string[][], headerIndex: number): boolean => {
  const header = records[headerIndex] ?? []
  const rows = records.slice(headerIndex + 1)
  return (
    rows.length >= rowsMin &&
    header.every(cell => cell.trim() !== '' && !isNumber(cell)) &&
    rows.every(({ length }) => length === header.length + 1)
  )
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
  const isFirstNamed =
    !names.has('column-1') ||
    (delimiter !== noDelimiter &&
      nameColumns(readRecords(firstRecord, delimiter)[0] ?? []).includes('column-1'))
  if (!isFirstNamed) return false
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
  const hasComments = comments > 0 || layout.hasComments
  return { ...layout, skippedRecords: comments + layout.skippedRecords, hasComments }
}

/** Fewer comments are among the first records. */
const commentsMin = 5

/**
 * Splits off the comments before a table: many lines that begin with `#`, `//` or `%`, also with blank lines between them. The last one stays if it has as many cells
 * as the line below it, or more, because it names the columns.
 */
const splitComments = (beginning: string): { comments: number; rest: string } => {
  const lines = beginning.split('\n')
  let end = lines.findIndex(line => !commentMark.test(line) && line.trim() !== '')
  while (end > 0 && lines[end - 1]?.trim() === '') end -= 1
  const countComments = () => lines.slice(0, Math.max(end, 0)).filter(line => commentMark.test(line)).length
  if (countComments() < commentsMin) return { comments: 0, rest: beginning }
  const countCells = (line = '') => line.split('\t').length
  const cells = countCells(lines.slice(end).find(line => line.trim() !== ''))
  if (cells > 1 && countCells(lines[end - 1]) >= cells) end -= 1
  return { comments: countComments(), rest: lines.slice(end).join('\n') }
}

const isLogFor = (names: ReadonlySet<string>, beginning: string, stated: Delimiter | undefined): boolean =>
  stated === undefined && names.has('column-1') && isLog(beginning)

const logLayout: CsvLayout = {
  delimiter: noDelimiter,
  skippedRecords: 0,
  isHeaderless: true,
  isFirstUnnamed: false,
  hasComments: false,
}

const guessTableLayout = (beginning: string): CsvLayout => {
  if (isLog(beginning)) return logLayout
  const [delimiter = ','] = rankDelimiters(beginning)
  const records = readRecords(beginning, delimiter)
  const header = findTable(records)
  return {
    delimiter: header === 0 && isOneColumn(records) ? noDelimiter : delimiter,
    skippedRecords: header,
    isHeaderless: isData(records[header] ?? [], records.slice(header + 1)),
    isFirstUnnamed: isShorter(records, header),
    hasComments: header > 0 && isComment(records[0]),
  }
}

/** If this share of the records has one length, the delimiter separates cells. */
const agreementMin = 0.9

/** Returns the delimiters, the likeliest first: those that nearly all records agree on, then those of the first record, then those of most records. */
const rankDelimiters = (text: string): Delimiter[] => {
  const first = readFirstRecord(text).replaceAll(/"[^"]*"/g, '')
  const ranked = [...delimiters, doubleDelimiter, weakDelimiter].map((delimiter): RankedDelimiter => {
    const records = readRecords(text, delimiter)
    const cells = findCommonLength(records)
    const agreeing = cells > 1 ? records.filter(({ length }) => length === cells).length : 0
    const areTimes = delimiter === weakDelimiter && records.every(record => time.test(record.join(':')))
    const isRegular = agreeing >= agreementMin * records.length && records[0]?.length === cells && !areTimes
    const inFirst = first.split(delimiter).length - 1
    return { delimiter, inFirst, agreeing, cells, isRegular: isRegular && inFirst > 0 }
  })
  const [likeliest] = ranked
    .filter(entry => !isUnlikely(entry, ranked))
    .toSorted((one, next) => next.inFirst - one.inFirst || next.agreeing - one.agreeing)
  // A name may have commas, if the rows have none.
  const regular = ranked
    .filter(({ isRegular, delimiter }) => isRegular && delimiter !== weakDelimiter)
    .toSorted((one, next) => next.inFirst - one.inFirst)
  const double = ranked.find(entry => entry.delimiter === doubleDelimiter && !isUnlikely(entry, ranked))
  const best = double ?? (likeliest?.isRegular ? likeliest : (regular[0] ?? likeliest))
  return [...new Set([...(best ? [best.delimiter] : []), ...delimiters])]
}

interface RankedDelimiter {
  delimiter: Delimiter
  inFirst: number
  agreeing: number
  cells: number
  /** Whether nearly all records have the number of cells of the first one. */
  isRegular: boolean
}

/** A `|` may separate the values of a list, and a `:` the parts of a time, beside any other delimiter. */
const isUnlikely = (
  { delimiter, isRegular, cells }: RankedDelimiter,
  all: readonly RankedDelimiter[],
): boolean => {
  if (delimiter === weakDelimiter || delimiter === doubleDelimiter)
    return (
      !isRegular ||
      cells < weakCellsMin ||
      all.some(other => other.delimiter !== weakDelimiter && other.delimiter !== delimiter && other.isRegular)
    )
  return (
    delimiter === '|' &&
    all.some(
      other => delimiters.includes(other.delimiter as never) && other.delimiter !== '|' && other.inFirst > 0,
    )
  )
}

/** Returns the number of cells that most records have. */
const findCommonLength = (records: readonly string[][]): number => {
  const counts = new Map<number, number>()
  for (const { length } of records) counts.set(length, (counts.get(length) ?? 0) + 1)
  const [best] = [...counts].toSorted(([, one], [, next]) => next - one)
  return best?.[0] ?? 0
}

const titlesShareMax = 0.3

/** Returns the position of the first record that is no title and no comment. */
const findTable = (records: readonly string[][]): number => {
  const cells = findCommonLength(records)
  const countFilled = (record: readonly string[]) => record.filter(cell => cell.trim() !== '').length
  // In a list of names, some with values, a name alone is no title.
  const hasTitles =
    records.filter(record => countFilled(record) === 1).length < titlesShareMax * records.length
  const start = records.findIndex(
    (record, index) =>
      !(isComment(record) && record.length !== cells) &&
      !isGroups(records, index, cells) &&
      !(cells > 1 && (hasTitles || countFilled(record) === 0) && isTitle(record, records[index + 1], cells)),
  )
  // The rest is a table only if most of it has these cells.
  const rest = records.slice(start).filter(({ length }) => length === cells)
  return start > 0 && rest.length > 2 && rest.length >= (records.length - start) / 2 ? start : 0
}

const numbersShareMin = 0.8

/**
 * Whether a record names groups of columns, above the names of all columns: it has no text over some of them, all names differ, and a name is over a
 * column of numbers, so that it is no value.
 */
const isGroups = (records: readonly string[][], index: number, cells: number): boolean => {
  const trimmed = (record: readonly string[] = []) => record.map(cell => cell.trim())
  const groups = trimmed(records[index])
  const names = trimmed(records[index + 1])
  const rows = records.slice(index + 2).map(trimmed)
  const filled = groups.filter(cell => cell !== '')
  if (filled.length < 2 || filled.length >= cells || filled.some(isNumber)) return false
  const areNames =
    names.length === cells &&
    names.every(cell => cell !== '' && !isNumber(cell)) &&
    new Set(names).size === cells
  if (!areNames || rows.length < rowsMin) return false
  const listColumn = (column: number) => rows.map(row => row[column] ?? '').filter(cell => cell !== '')
  const isOverNumbers = (column: number) => {
    const values = listColumn(column)
    return values.length > 0 && values.filter(isNumber).length >= numbersShareMin * values.length
  }
  return (
    names.some((_, column) => isOverNumbers(column)) &&
    names.every((name, column) => !listColumn(column).includes(name))
  )
}

/** Whether a record above the `next` one has no or one cell, or sizes of the table in few of its cells. */
const isTitle = (record: readonly string[], next: readonly string[] | undefined, cells: number): boolean => {
  const filled = record.filter(cell => cell.trim() !== '')
  const isSizes = isNumber(filled[0] ?? '') && filled.length < cells / 2 && next?.length === cells
  const isAboveNames = next?.every(cell => cell.trim() !== '' && !isNumber(cell)) === true
  return (
    filled.length === 0 ||
    (filled.length === 1 && record[0]?.trim() !== '') ||
    (isSizes && (record.length < cells || isAboveNames))
  )
}

/** Returns the first records; none of a text that is no CSV. */
const readRecords = (text: string, delimiter: Delimiter): string[][] => {
  try {
    return parse(text, {
      delimiter,
      // Otherwise quotes after blanks are text.
      ltrim: text.includes(`${delimiter} `),
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
