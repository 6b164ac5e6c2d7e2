/** Converts a row filter (authorization-server.md) to text and to rows of a form. */
import {
  describeWrongValue,
  type FilterableType,
  isFilterable,
  readFieldValue,
} from '@querent/contract/field-value'
import type { CollectionSummary, RowFilter, RowFilterCondition } from '@querent/contract/manage'
import { listedValues } from '@querent/contract/read-condition'
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
  /** A condition of another form, which the form keeps as it is. */
  condition?: RowFilterCondition
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

/** Returns text such as `Genre is drama or comedy, and language is dutch`. `fields` have the titles. */
export const describeFilter = (filter: RowFilter, fields: readonly FilterField[] = []): string =>
  Object.entries(filter)
    .map(([name, condition]) => {
      const field = fields.find(known => known.name === name)?.title ?? name
      return describeCondition(field, condition)
    })
    .join(t(', and '))

/** Returns text such as `Genre is drama or comedy` or `embargo is up to now`. */
const describeCondition = (field: string, condition: RowFilterCondition): string => {
  const values = listedValues(condition)
  if (values) return t('{field} is {values}', { field, values: alternatives.format(values.map(String)) })
  if (typeof condition !== 'object' || Array.isArray(condition)) return field
  if ('not' in condition)
    return t('not ({condition})', { condition: describeCondition(field, condition.not) })
  if ('member' in condition)
    return t('{field} is one of the member’s values of {attribute}', { field, attribute: condition.member })
  const { from, to } = condition
  if (from === undefined) return t('{field} is up to {to}', { field, to: to ?? '' })
  return to === undefined
    ? t('{field} is from {from}', { field, from })
    : t('{field} is from {from} to {to}', { field, from, to })
}

const alternatives = new Intl.ListFormat(language, { type: 'disjunction' })

let keys = 0
export const emptyRow = (field: string): FilterRow => ({ key: keys++, field, values: [] })

export const toRows = (filter: RowFilter | undefined): FilterRow[] =>
  Object.entries(filter ?? {}).map(([field, condition]) => {
    const values = listedValues(condition)
    const row = { key: keys++, field, values: (values ?? []).map(String) }
    return values ? row : { ...row, condition }
  })

/** The condition of a row that the form cannot edit, in words. */
export const describeRow = ({ field, condition }: FilterRow, fields: readonly FilterField[]): string =>
  condition === undefined ? '' : describeFilter({ [field]: condition }, fields)

/** Returns the error of a row, or undefined. */
export const rowFault = (row: FilterRow, fields: readonly FilterField[]): string | undefined => {
  if (row.condition !== undefined) return undefined
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
        rows.map(({ field, values, condition }) => {
          if (condition !== undefined) return [field, condition]
          const type = fields.find(({ name }) => name === field)?.type ?? 'keyword'
          return [field, values.map(value => readFieldValue(type, value) ?? value)]
        }),
      )
