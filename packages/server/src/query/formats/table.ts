/** Results as rows and columns, for csv and xlsx: rank, probability, id, class, then attributes (query-service.md, Replies). */
import { listSeparator, writeTextCell } from '@querent/contract/csv-cells'
import { compileValueReader, stripUnit } from '@querent/contract/read-value'
import type { Field } from '@querent/contract/workspace-file'
import { Problem } from '#errors'
import { attributeNames, listValues, type Page, valueText } from './page.ts'

export type Cell = string | number | boolean | undefined

export interface Table {
  header: string[]
  rows: Cell[][]
}

/** Bounds the work of one reply, which writes rows × columns cells at once. */
export const columnsMax = 1000

/** The columns before the attributes. */
const ownColumns = ['rank', 'probability', 'id', 'class']

/** The columns after the attributes, if the results are collapsed. */
const collapsedColumns = ['collapsed.value', 'collapsed.count']

/** Column names are unique: an attribute with the name of another column gets a prefix. */
const columnName = (attribute: string): string =>
  ownColumns.includes(attribute) || /^(attributes|highlights|collapsed)\./.test(attribute)
    ? `attributes.${attribute}`
    : attribute

/** Writes the cell of an attribute. */
type CellWriter = (value: unknown, field: Field | undefined) => Cell

/** Throws Problem `bad-option` if the results have more attributes than a table can hold. */
export const makeTable = (page: Page, writeCell: CellWriter = makeCell): Table => {
  const { items, fields } = page
  const names = attributeNames(page)
  const highlighted = [...new Set(items.flatMap(({ highlights }) => Object.keys(highlights)))]
  if (names.length + highlighted.length > columnsMax)
    throw new Problem(
      'bad-option',
      `these results have ${names.length} different attributes; at most ${columnsMax} columns are allowed: select attributes with the option "attributes", or use another format`,
    )
  const isCollapsed = items.some(({ collapsed }) => collapsed)
  return {
    header: [
      ...ownColumns,
      ...names.map(columnName),
      ...highlighted.map(name => `highlights.${name}`),
      ...(isCollapsed ? collapsedColumns : []),
    ],
    rows: items.map(({ rank, probability, entity, highlights, collapsed }) => [
      rank,
      probability,
      entity.id,
      entity.class.join(listSeparator),
      ...names.map(name => writeCell(ownValue(entity.attributes, name), fields.get(name))),
      ...highlighted.map(name => ownValue(highlights, name)?.join(listSeparator)),
      ...(collapsed ? [collapsed.value ?? undefined, collapsed.count] : []),
    ]),
  }
}

const ownValue = <Value>(values: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined

/** Keeps a single number or boolean as it is, and writes everything else as text. */
const makeCell = (value: unknown, field: Field | undefined): Cell => {
  const values = listValues(value, field)
  const [single] = values
  if (values.length === 0) return undefined
  if (values.length === 1 && (typeof single === 'number' || typeof single === 'boolean')) return single
  switch (field?.type) {
    case 'keyword':
      if (values.every(one => typeof one === 'string')) return writeTextCell(values)
      break
    case 'object':
    case 'vector':
      return JSON.stringify(values.length === 1 ? single : values)
    case 'geo':
      if (!values.every(isDecimalPoint)) return JSON.stringify(values.length === 1 ? single : values)
  }
  return values.map(one => valueText(one, field)).join(listSeparator)
}

/** Excel keeps no more digits of a number. */
const sheetDigitsMax = 15

/** The cell of a spreadsheet, which adds numbers up: a number that documents write as `1.509,52` is one. With a currency or a percent sign it stays text. */
export const makeSheetCell: CellWriter = (value, field) => {
  const values = listValues(value, field)
  const [text] = values
  if (field?.type !== 'number' || !field.decimal || values.length !== 1 || typeof text !== 'string')
    return makeCell(value, field)
  const isExact = stripUnit(text) === text.trim() && text.replace(/\D/g, '').length <= sheetDigitsMax
  const number = isExact ? compileValueReader(field)(text) : undefined
  return typeof number === 'number' ? number : makeCell(value, field)
}

/** True if `lat,lon` in decimals expresses the whole value. */
const isDecimalPoint = (place: unknown): boolean =>
  typeof place === 'object' &&
  place !== null &&
  Object.keys(place).length === 2 &&
  Object.values(place).every(degrees => /^-?\d+(\.\d+)?$/.test(String(degrees)))
