/** Converts a row filter (authorization-server.md) to text and to rows of a form. */
import {
  describeWrongValue,
  type FilterableType,
  isFilterable,
  readFieldValue,
} from '@querent/contract/field-value'
import type { CollectionSummary, RowFilter } from '@querent/contract/manage'
import { language, t, translateFault } from '#i18n/translate.ts'

export interface FilterField {
  name: string
  title: string
  type: FilterableType
}

/** One field and its visible values. */
export interface FilterRow {
  /** React key, only used in the form. */
  key: number
  field: string
  values: string[]
}

/** Returns the filterable fields of the collections. Fields of the same name count once. */
export const filterFields = (collections: readonly CollectionSummary[]): FilterField[] => {
  const fields = new Map<string, FilterField>()
  for (const { name, type, title } of collections.flatMap(collection => collection.fields)) {
    const filterableType = toFilterableType(type)
    if (filterableType && !fields.has(name))
      fields.set(name, { name, title: title ?? name, type: filterableType })
  }
  return [...fields.values()]
}

/** Narrows a field type, which the management API declares as a string. */
const toFilterableType = (type: string): FilterableType | undefined =>
  (['keyword', 'number', 'boolean', 'date'] as const).find(
    filterable => filterable === type && isFilterable(filterable),
  )

const toList = (value: RowFilter[string]) => (Array.isArray(value) ? value : [value])

/** Returns text such as `Genre is drama or comedy, and language is dutch`. `fields` have the titles. */
export const describeFilter = (filter: RowFilter, fields: readonly FilterField[] = []): string =>
  Object.entries(filter)
    .map(([field, value]) =>
      t('{field} is {values}', {
        field: fields.find(({ name }) => name === field)?.title ?? field,
        values: alternatives.format(toList(value).map(String)),
      }),
    )
    .join(t(', and '))

const alternatives = new Intl.ListFormat(language, { type: 'disjunction' })

let keys = 0
export const emptyRow = (field: string): FilterRow => ({ key: keys++, field, values: [] })

export const toRows = (filter: RowFilter | undefined): FilterRow[] =>
  Object.entries(filter ?? {}).map(([field, value]) => ({
    key: keys++,
    field,
    values: toList(value).map(String),
  }))

/** Returns the error of a row, or undefined. */
export const rowFault = (row: FilterRow, fields: readonly FilterField[]): string | undefined => {
  if (row.values.length === 0) return t('Type a value and press Enter, or remove this field')
  const type = fields.find(({ name }) => name === row.field)?.type
  const bad = type && row.values.find(value => readFieldValue(type, value) === undefined)
  return type === undefined || bad === undefined
    ? undefined
    : translateFault(describeWrongValue(`"${bad}"`, [type]))
}

/** Returns the row filter; `null` allows all documents. */
export const toFilter = (rows: readonly FilterRow[], fields: readonly FilterField[]): RowFilter | null =>
  rows.length === 0
    ? null
    : Object.fromEntries(
        rows.map(({ field, values }) => {
          const type = fields.find(({ name }) => name === field)?.type ?? 'keyword'
          return [field, values.map(value => readFieldValue(type, value) ?? value)]
        }),
      )
