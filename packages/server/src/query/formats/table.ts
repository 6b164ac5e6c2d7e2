/** Results as rows and columns, for csv and xlsx: rank, probability, id, class, then attributes (query-service.md, Replies). */
import { listSeparator, writeTextCell } from '@querent/contract/csv-cells'
import type { Field } from '@querent/contract/workspace-file'
import { Problem } from '#errors'
import { attributeNames, type Page, textOf, valuesOf } from './page.ts'

export type Cell = string | number | boolean | undefined

export interface Table {
  header: string[]
  rows: Cell[][]
}

/** Writing a cell is quick, but there are rows × columns of them, and all are written at once. */
const columnsMax = 1000

/** What each result has besides its attributes. */
const ownColumns = ['rank', 'probability', 'id', 'class']

/** No two columns have one name: an attribute that would take another's is told apart. */
const columnOf = (attribute: string): string =>
  ownColumns.includes(attribute) || /^(attributes|highlights)\./.test(attribute)
    ? `attributes.${attribute}`
    : attribute

/** Throws Problem `bad-option` where the results have more attributes than a table can hold. */
export const tableOf = (page: Page): Table => {
  const { items, fields } = page
  const names = attributeNames(page)
  const highlighted = [...new Set(items.flatMap(({ highlights }) => Object.keys(highlights)))]
  if (names.length + highlighted.length > columnsMax)
    throw new Problem(
      'bad-option',
      `these results have ${names.length} different attributes; allowed are ${columnsMax} columns: name the attributes wanted with the option "attributes", or ask for another format`,
    )
  return {
    header: [...ownColumns, ...names.map(columnOf), ...highlighted.map(name => `highlights.${name}`)],
    rows: items.map(({ rank, probability, entity, highlights }) => [
      rank,
      probability,
      entity.id,
      entity.class.join(listSeparator),
      ...names.map(name => cellOf(own(entity.attributes, name), fields.get(name))),
      ...highlighted.map(name => own(highlights, name)?.join(listSeparator)),
    ]),
  }
}

const own = <Value>(values: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined

/** A single number or truth value stays one. */
const cellOf = (value: unknown, field: Field | undefined): Cell => {
  const values = valuesOf(value, field)
  const [only] = values
  if (values.length === 0) return undefined
  if (values.length === 1 && (typeof only === 'number' || typeof only === 'boolean')) return only
  switch (field?.type) {
    case 'keyword':
      if (values.every(one => typeof one === 'string')) return writeTextCell(values)
      break
    case 'object':
    case 'vector':
      return JSON.stringify(values.length === 1 ? only : values)
    case 'geo':
      if (!values.every(isPlain)) return JSON.stringify(values.length === 1 ? only : values)
  }
  return values.map(one => textOf(one, field)).join(listSeparator)
}

/** Whether `lat,lon` says all of a place, in decimals. */
const isPlain = (place: unknown): boolean =>
  typeof place === 'object' &&
  place !== null &&
  Object.keys(place).length === 2 &&
  Object.values(place).every(degrees => /^-?\d+(\.\d+)?$/.test(String(degrees)))
