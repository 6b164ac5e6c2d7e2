/** Converts a row filter (authorization-server.md) to text and to rows of a form. */
import { describeWrongValue, type FilterableType, isFilterable } from '@querent/contract/field-value'
import { listedValues, nowValue } from '@querent/contract/listed-values'
import type { CollectionSummary, RowFilter, RowFilterCondition } from '@querent/contract/manage'
import { mergeValueForms, type ValueForm } from '@querent/contract/value-form'
import { t, translateFault } from '#i18n/translate.ts'
import { describeFilter } from './describe-filter.ts'
import { readTypedValue, writeTypedValue } from './typed-value.ts'

export interface FilterField {
  name: string
  title: string
  type: FilterableType
  /** How documents write its values. */
  form: ValueForm
  /** Titles of the collections that have it. */
  collections: readonly string[]
}

/** The kind of condition of a row. `other`: one that the form keeps as it is. */
export type ConditionForm = 'values' | 'not' | 'range' | 'member' | 'not-member' | 'other'

/** A condition on one field, as typed. */
export interface FilterRow {
  /** React key, only used in the form. */
  key: number
  field: string
  form: ConditionForm
  values: string[]
  from: string
  to: string
  /** Name of an attribute of the membership. */
  attribute: string
  /** Only with the form `other`. */
  condition?: RowFilterCondition
}

/** Returns the filterable fields of the collections. Fields of the same name count once. */
export const filterFields = (collections: readonly CollectionSummary[]): FilterField[] => {
  const fields = new Map<string, FilterField>()
  for (const collection of collections)
    for (const { name, type, title, decimal, formats } of collection.fields) {
      const filterableType = toFilterableType(type)
      if (!filterableType) continue
      const ownForm = { ...(decimal ? { decimal } : {}), ...(formats ? { formats } : {}) }
      const {
        form,
        collections: others,
        ...field
      } = fields.get(name) ?? {
        name,
        title: title ?? name,
        type: filterableType,
        form: ownForm,
        collections: [],
      }
      fields.set(name, {
        ...field,
        form: mergeValueForms([form, ownForm]),
        collections: [...others, collection.title],
      })
    }
  return [...fields.values()]
}

/** Narrows a field type, which the management API declares as a string. */
const toFilterableType = (type: string): FilterableType | undefined =>
  (['keyword', 'number', 'boolean', 'date'] as const).find(
    filterable => filterable === type && isFilterable(filterable),
  )

let keys = 0
export const emptyRow = (field: string, form: ConditionForm = 'values'): FilterRow => ({
  key: keys++,
  field,
  form,
  values: [],
  from: '',
  to: '',
  attribute: '',
})

export const toRows = (filter: RowFilter | undefined): FilterRow[] =>
  Object.entries(filter ?? {}).map(([field, condition]) => ({ ...emptyRow(field), ...readForm(condition) }))

const readForm = (condition: RowFilterCondition): Partial<FilterRow> & Pick<FilterRow, 'form'> => {
  const values = listedValues(condition)
  if (values) return { form: 'values', values: values.map(String) }
  const unchanged = { form: 'other', condition } as const
  if (typeof condition !== 'object' || Array.isArray(condition)) return unchanged
  if ('member' in condition) return { form: 'member', attribute: condition.member }
  if (!('not' in condition))
    return { form: 'range', from: String(condition.from ?? ''), to: String(condition.to ?? '') }
  const negated = listedValues(condition.not)
  if (negated) return { form: 'not', values: negated.map(String) }
  return typeof condition.not === 'object' && 'member' in condition.not
    ? { form: 'not-member', attribute: condition.not.member }
    : unchanged
}

/** The part of the rights that has a row filter; `never`: a leak test, whose filter names what nobody may see. */
export type FilterHolder = 'member' | 'group' | 'defaults' | 'never'

/** The forms that fit a field of this type. Leak tests take no attributes of a member. */
export const formsFor = (type: FilterableType, holder: FilterHolder): ConditionForm[] => {
  const range: ConditionForm[] = type === 'number' || type === 'date' ? ['range'] : []
  return ['values', 'not', ...range, ...(holder === 'never' ? [] : (['member', 'not-member'] as const))]
}

/** The condition of a row that the form cannot edit, in words. */
export const describeRow = ({ field, condition }: FilterRow, fields: readonly FilterField[]): string =>
  condition === undefined ? '' : describeFilter({ [field]: condition }, fields)

type TypedField = Pick<FilterField, 'type' | 'form'>

const fieldIn = (fields: readonly FilterField[], { field }: FilterRow): FilterField | undefined =>
  fields.find(({ name }) => name === field)

/** Reads a value as typed. A date of a row filter may be the time of the query. */
export const readRowValue = ({ type, form }: TypedField, value: string) =>
  type === 'date' && value.trim() === nowValue ? nowValue : readTypedValue(value, type, form)

/** Returns the row of a filter with its values in the form of the field, in which {@link readRowValue} reads them. */
export const writeRow = (row: FilterRow, fields: readonly FilterField[]): FilterRow => {
  const field = fieldIn(fields, row)
  if (!field) return row
  const write = (value: string) => writeTypedValue(value, field.type, field.form)
  return { ...row, values: row.values.map(write), from: write(row.from), to: write(row.to) }
}

/** Returns the error of a row, or undefined. */
export const rowFault = (row: FilterRow, fields: readonly FilterField[]): string | undefined => {
  switch (row.form) {
    case 'other':
      return undefined
    case 'member':
    case 'not-member':
      return /^[A-Za-z0-9_-]{1,63}$/.test(row.attribute.trim())
        ? undefined
        : t('Type the name of an attribute: letters, digits, - and _')
    case 'range':
      return rangeFault(row, fieldIn(fields, row))
    default:
      return row.values.length === 0
        ? t('Type a value and press Enter, or remove this field')
        : wrongValue(row.values, fieldIn(fields, row))
  }
}

const rangeFault = ({ from, to }: FilterRow, field: TypedField | undefined): string | undefined => {
  const ends = [from, to].map(end => end.trim()).filter(end => end !== '')
  return ends.length === 0 ? t('Type at least one end of the range') : wrongValue(ends, field)
}

const wrongValue = (values: readonly string[], field: TypedField | undefined): string | undefined => {
  const bad = field && values.find(value => readRowValue(field, value) === undefined)
  return field === undefined || bad === undefined
    ? undefined
    : translateFault(describeWrongValue(`"${bad}"`, [field.type]))
}

const unknownField: TypedField = { type: 'keyword', form: {} }

/** Returns the row filter of the rows; `{}` allows all documents. */
export const toFilter = (rows: readonly FilterRow[], fields: readonly FilterField[]): RowFilter =>
  Object.fromEntries(rows.map(row => [row.field, toCondition(row, fieldIn(fields, row) ?? unknownField)]))

const toCondition = (row: FilterRow, field: TypedField): RowFilterCondition => {
  const values = row.values.map(value => readRowValue(field, value) ?? value)
  const attribute = { member: row.attribute.trim() }
  switch (row.form) {
    case 'values':
      return values
    case 'not':
      return { not: values }
    case 'member':
      return attribute
    case 'not-member':
      return { not: attribute }
    case 'range':
      return { ...readEnd('from', row, field), ...readEnd('to', row, field) }
    case 'other':
      return row.condition ?? values
  }
}

const readEnd = (end: 'from' | 'to', row: FilterRow, field: TypedField) => {
  const text = row[end].trim()
  if (text === '') return {}
  const value = readRowValue(field, text)
  return { [end]: typeof value === 'number' || typeof value === 'string' ? value : text }
}
