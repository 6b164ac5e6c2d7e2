/** Documents of tables in JSON: rows that are lists, columns that are lists or numbered objects, and objects of lists. */
import { splitItems, splitMembers } from './json-members.ts'
import type { Line } from './lines.ts'

/** Writes cells as a document. Cells beyond the names get one by their position, from 1. */
export const writeDocument = (names: readonly string[], cells: readonly string[]): string =>
  `{${cells.map((cell, index) => `${names[index] ?? JSON.stringify(`column-${index + 1}`)}:${cell}`).join(',')}}`

/** Returns a reader of rows, which names their columns. `second` decides whether the `first` one is a header. */
export const readRows = (
  first: string,
  second: string | undefined,
): { isHeader: boolean; read: (line: Line) => Line } => {
  const header = splitItems(first)
  const isHeader = second !== undefined && isHeaderRow(header, splitItems(second))
  const names = isHeader ? header.map((name, index) => (name === '""' ? `"column-${index + 1}"` : name)) : []
  return {
    isHeader,
    read: line =>
      line.fault === undefined && line.text.trimStart().startsWith('[')
        ? { ...line, text: writeDocument(names, splitItems(line.text)) }
        : line,
  }
}

/** Names are different texts without numbers. The row below them has at least one other value. */
const isHeaderRow = (header: readonly string[], row: readonly string[]): boolean =>
  header.length > 1 &&
  new Set(header).size === header.length &&
  header.every(cell => cell.startsWith('"') && !isNumeric(cell)) &&
  row.some(cell => !cell.startsWith('"') || isNumeric(cell))

const isNumeric = (cell: string): boolean => /^"?\s*-?\d[\d.,]*\s*"?$/.test(cell)

/**
 * Returns the documents of an object whose values are the columns of a table: lists of one length, or objects with the names `0`, `1`, … in order.
 * Undefined for other objects. A text that `isCut` may end within a column.
 */
export const readColumns = (json: string, isCut: boolean): Line[] | undefined => {
  const read = splitMembers(json).map(([name, value]) => ({ name: `"${name}"`, cells: readColumn(value) }))
  const longest = Math.max(...read.map(({ cells }) => cells?.length ?? 0))
  // The beginning of a file may have just the beginning of a column.
  const columns = isCut ? read.filter(({ cells }) => (cells?.length ?? 0) > longest / 2) : read
  // All but the last one are complete.
  if (isCut && read.slice(0, -1).some(({ cells }) => (cells?.length ?? 0) !== longest)) return undefined
  const lengths = columns.map(({ cells }) => cells?.length ?? 0)
  const length = Math.min(...lengths)
  if (columns.length < 2 || length < 1 || (!isCut && lengths.some(other => other !== length)))
    return undefined
  const names = columns.map(({ name }) => name)
  return Array.from({ length }, (_, index) => ({
    number: 1,
    index,
    text: writeDocument(
      names,
      columns.map(({ cells }) => cells?.[index] ?? 'null'),
    ),
  }))
}

/** Fewer lists may be columns that are not complete. */
const listsMin = 5

/** Returns a document for each name of an object whose values are lists, such as the words of each language. `isCut` as above. */
export const readKeyedLists = (json: string, isCut: boolean): Line[] | undefined => {
  const members = splitMembers(json)
  const complete = isCut ? members.slice(0, -1) : members
  if (complete.length < listsMin || !complete.every(([, value]) => value.startsWith('['))) return undefined
  return complete.map(([name, value], index) => ({
    number: 1,
    index,
    text: `{"key":"${name}","value":${value}}`,
  }))
}

const readColumn = (json: string): string[] | undefined => {
  if (json.startsWith('[')) return splitItems(json)
  if (!json.startsWith('{')) return undefined
  const members = splitMembers(json)
  return members.every(([name], index) => name === String(index))
    ? members.map(([, value]) => value)
    : undefined
}
