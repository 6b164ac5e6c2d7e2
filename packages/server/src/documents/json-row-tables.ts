/** Documents of an object that has the rows of a table as lists, and the names of the columns beside them or somewhere else. */
import { splitItems, splitMembers } from './json-members.ts'
import { readRows, writeDocument } from './json-tables.ts'
import type { Line } from './lines.ts'

/** Attributes of a described column that may have its name, the best first. */
const nameAttributes = ['name', 'label', 'title', 'field', 'id']

/** A list of lists, or the names of columns. */
interface Tables {
  rows: { items: string[]; isOutside: boolean }[]
  /** Names as JSON. */
  names: string[][]
}

/**
 * Returns the documents of the only list of lists, as in `{"columns":["a","b"],"data":[[1,2],[3,4]]}`. Their names are those of a list of texts, or of objects
 * with a `name`, that has as many items as a row. Without one, only a list of the outermost object counts, and its first row may have the names.
 */
export const readRowTable = (json: string): Line[] | undefined => {
  const tables: Tables = { rows: [], names: [] }
  collect(json, tables, true)
  const [table] = tables.rows
  if (!table) return undefined
  const [first = '', second] = table.items
  const cells = splitItems(first).length
  const names = tables.names.find(({ length }) => length === cells)
  const lines = table.items.map((text, index): Line => ({ number: 1, index, text }))
  if (names) return lines.map(line => ({ ...line, text: writeDocument(names, splitItems(line.text)) }))
  if (!table.isOutside) return undefined
  const { isHeader, read } = readRows(first, second)
  return (isHeader ? lines.slice(1) : lines).map(read)
}

const collect = (json: string, tables: Tables, isOutside: boolean): void => {
  for (const [, value] of splitMembers(json)) {
    if (value.startsWith('{')) collect(value, tables, false)
    else if (value.startsWith('[')) collectList(value, tables, isOutside)
  }
}

const collectList = (value: string, tables: Tables, isOutside: boolean): void => {
  const items = splitItems(value)
  if (items.length > 1 && items.every(item => item.startsWith('['))) tables.rows.push({ items, isOutside })
  const names = items.map(readName)
  if (names.length > 1 && names.every(name => name !== undefined) && new Set(names).size === names.length)
    tables.names.push(names)
}

/** Returns the name of a column, as JSON. */
const readName = (item: string): string | undefined => {
  if (item.startsWith('"')) return item
  if (!item.startsWith('{')) return undefined
  const members = new Map(splitMembers(item))
  return nameAttributes.map(name => members.get(name)).find(value => value?.startsWith('"'))
}
