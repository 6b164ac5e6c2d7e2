/** Writes a row filter (authorization-server.md) in words. Apart from row-filter.ts, because many pages load it. */
import { listedValues } from '@querent/contract/listed-values'
import type { RowFilter, RowFilterCondition } from '@querent/contract/manage'
import type { ValueForm } from '@querent/contract/value-form'
import { language, t } from '#i18n/translate.ts'
import { writeBoolean } from './boolean-words.ts'
import { writeDecimal } from './write-decimal.ts'

interface TitledField {
  name: string
  title: string
  /** How documents write its values. */
  form?: ValueForm
}

/** Returns text such as `Genre is drama or comedy, and language is dutch`. `fields` have the titles. */
export const describeFilter = (filter: RowFilter, fields: readonly TitledField[] = []): string =>
  Object.keys(filter).length === 0 ? t('all documents') : describeConditions(filter, fields)

const describeConditions = (filter: RowFilter, fields: readonly TitledField[]): string =>
  Object.entries(filter)
    .map(([name, condition]) => {
      const { title = name, form = {} } = fields.find(known => known.name === name) ?? {}
      return describeCondition(title, condition, form)
    })
    .join(t(', and '))

/** Returns text such as `Genre is drama or comedy` or `embargo is up to now`. */
const describeCondition = (field: string, condition: RowFilterCondition, form: ValueForm): string => {
  const write = (value: unknown) => writeValue(value, form)
  const values = listedValues(condition)
  if (values) return t('{field} is {values}', { field, values: alternatives.format(values.map(write)) })
  if (typeof condition !== 'object' || Array.isArray(condition)) return field
  if ('not' in condition) return describeNegation(field, condition.not, form)
  if ('member' in condition)
    return t('{field} is one of the member’s values of {attribute}', { field, attribute: condition.member })
  const [from, to] = [condition.from, condition.to].map(end => (end === undefined ? undefined : write(end)))
  if (from === undefined) return t('{field} is up to {to}', { field, to: to ?? '' })
  return to === undefined
    ? t('{field} is from {from}', { field, from })
    : t('{field} is from {from} to {to}', { field, from, to })
}

const describeNegation = (field: string, condition: RowFilterCondition, form: ValueForm): string => {
  const values = listedValues(condition)
  if (values)
    return t('{field} is not {values}', {
      field,
      values: alternatives.format(values.map(value => writeValue(value, form))),
    })
  if (typeof condition === 'object' && 'member' in condition)
    return t('{field} is none of the member’s values of {attribute}', { field, attribute: condition.member })
  return t('not ({condition})', { condition: describeCondition(field, condition, form) })
}

/** Writes a value of a field as text. */
export const writeValue = (value: unknown, form: ValueForm = {}): string =>
  writeBoolean(value) ?? (typeof value === 'number' ? writeDecimal(String(value), form) : String(value))

/** Writes values as a sentence has them: `drama or comedy`. */
export const alternatives = new Intl.ListFormat(language, { type: 'disjunction' })
