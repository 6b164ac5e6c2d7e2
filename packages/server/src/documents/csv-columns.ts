/** The columns of a CSV file: turns the cells of a record into a document by the types of the collection's fields. */
import {
  readSeparatedCell,
  readTextCell,
  splitAt,
  splitList,
  unescapeFormula,
} from '@querent/contract/csv-cells'
import { parseExactJson } from '@querent/contract/exact-json'
import { isDate, readFieldValue } from '@querent/contract/field-value'
import { readPoint } from '@querent/contract/geo-value'
import { readListSeparator } from '@querent/contract/list-separator'
import { isEmptyWord } from '@querent/contract/read-value'
import type { Collection, Field, FieldType } from '@querent/contract/workspace-file'
import { csvColumnsMax, hasTooManyParts, tooManyParts } from './document-size.ts'
import type { Line } from './lines.ts'

/** Prefix of attributes whose name is also an export column, and of snippets. */
const attributePrefix = 'attributes.'
const highlightPrefix = 'highlights.'
/** Columns of every export besides `id`. */
export const exportColumns = ['rank', 'probability', 'class']

/** Returns the names of the columns. A column without a name gets one by its position, from 1. */
export const nameColumns = (header: readonly string[]): string[] =>
  header.map((cell, index) => cell.trim() || `column-${index + 1}`)

/** Returns a converter from cells to a document, or a text that says what is wrong with the header line. */
export const readHeader = (
  record: string[],
  collection: Collection,
): string | ((cells: string[]) => Omit<Line, 'number'>) => {
  const { id, fields = {} } = collection
  const idField = id?.field ?? 'id'
  if (record.length > csvColumnsMax)
    return `the header line has ${record.length} columns, allowed: at most ${csvColumnsMax}`
  const columnNames = nameColumns(record)
  const isExported = isExport(columnNames, collection)
  const names = isExported ? attributesOfExport(columnNames, idField) : columnNames
  const isIdGenerated = id?.generate !== undefined
  if (!isIdGenerated && !names.includes(idField)) {
    const delimiterHint =
      names.length === 1 && /[,;\t|]/.test(names[0] ?? '')
        ? '; allowed delimiters: comma, semicolon, tab, |'
        : ''
    return `the header line has no column "${idField}", which holds the id${delimiterHint}`
  }
  const counts = new Map<string | undefined, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  const columns = names.map((name): Column => {
    const field = name !== undefined && Object.hasOwn(fields, name) ? fields[name] : undefined
    const isId = name === idField && !isIdGenerated
    const isRaw = isWrittenByPeople(field)
    const listSeparator = readListSeparator(field)
    return { name, type: field?.type, listSeparator, isId, isRaw, repeats: (counts.get(name) ?? 0) > 1 }
  })
  const hasTooManyJsonParts = (cells: readonly string[]) =>
    hasTooManyParts(
      cells.filter((cell, index) => isJsonType(columns[index]?.type) && jsonStart.test(cell)).join(','),
    )
  return cells => {
    if (cells.slice(columns.length).some(cell => cell !== ''))
      return {
        text: '',
        fault: `found ${cells.length} values; the header line has ${columns.length} columns`,
      }
    if (hasTooManyJsonParts(cells)) return { text: '', fault: tooManyParts }
    return { text: '', document: readRecord(columns, cells, isExported) }
  }
}

interface Column {
  /** Undefined for a column of an export that is no attribute. */
  name: string | undefined
  type: FieldType | undefined
  /** Between several values of a cell. */
  listSeparator: string | undefined
  /** Holds the ids of the documents. */
  isId: boolean
  /** The document check reads its numbers. */
  isRaw: boolean
  /** Another column has the same name: their values are a list. */
  repeats: boolean
}

const readRecord = (
  columns: readonly Column[],
  cells: readonly string[],
  isExported: boolean,
): Record<string, unknown> => {
  const document: [string, unknown][] = []
  const valuesByName = new Map<string, unknown[]>()
  columns.forEach((column, index) => {
    const { name } = column
    const value = readColumn(column, cells[index] ?? '', isExported)
    if (name === undefined || value === undefined) return
    if (!column.repeats) {
      document.push([name, value])
      return
    }
    const values = valuesByName.get(name) ?? []
    if (values.length === 0) document.push([name, values])
    valuesByName.set(name, values)
    // A spread of many values would exceed the stack.
    for (const item of Array.isArray(value) ? value : [value]) values.push(item)
  })
  return Object.fromEntries(document)
}

/** Returns undefined for no value. */
const readColumn = (column: Column, cell: string, isExported: boolean): unknown => {
  const { name, type, isId } = column
  const text = isExported ? unescapeFormula(cell) : cell
  if (name === undefined || text === '') return undefined
  return isId ? readId(type, text, isExported) : readCell(column, text)
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

const isWrittenByPeople = (field: Field | undefined): boolean =>
  field?.type === 'number' && field.decimal !== undefined

/** Cells of these types may be JSON. */
const isJsonType = (type: FieldType | undefined): boolean =>
  type !== undefined && type !== 'text' && type !== 'keyword'
const jsonStart = /^\s*[[{]/

/** A value of the wrong form stays text, so that the document check reports it. Returns undefined for no value. */
const readCell = ({ type, listSeparator, isRaw }: Column, cell: string): unknown => {
  if (listSeparator !== undefined && (type === 'text' || type === 'keyword'))
    return readSeparatedCell(cell, listSeparator)
  if (type === undefined || type === 'text') return cell
  if (type === 'keyword') return readTextCell(cell)
  const text = cell.trim()
  if (isEmptyWord(type, text)) return undefined
  const json = jsonStart.test(text) ? readJson(text) : undefined
  if (json !== undefined) return json
  const parts = (listSeparator === undefined ? undefined : splitAt(text, listSeparator)) ?? splitList(text)
  // The document check reads these numbers: `8.000` is a thousand times the 8 of other texts.
  if (isRaw) return parts ?? cell
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
      return readFieldValue(type, text) === undefined ? cell : readExactNumber(text)
    case 'date':
      return isDate(text) ? text : cell
    case 'geo':
      return readPoint(text.replaceAll(' ', '')) ?? cell
    default:
      return readJson(text) ?? cell
  }
}

/** Keeps the digits of a number that has more of them than a double is sure to keep. */
const readExactNumber = (text: string): unknown =>
  /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text) && text.replace(/\D/g, '').length > 15
    ? parseExactJson(text)
    : Number(text)

const readJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
