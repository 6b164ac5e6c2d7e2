/** Gives columns of whole numbers the decimal comma of the other columns of a file. */
import type { ProposedField } from '@querent/contract/proposal'
import { stripUnit } from '@querent/contract/read-value'
import type { Column } from './describe-column.ts'

/**
 * A file has one decimal sign, so a later value of a column that has only whole numbers yet, such as `19%`, is written with it too. Does nothing
 * if columns have different signs. Points need no such rule for fields without `decimal`, which read them.
 */
export const inheritDecimal = (
  fields: readonly ProposedField[],
  columns: readonly Column[],
  idField: string | undefined,
): ProposedField[] => {
  const texts = new Map(columns.map(({ name, distinct }) => [name, [...distinct.keys()]]))
  const isWhole = ({ name }: ProposedField) =>
    texts.get(name)?.every(text => wholeNumber.test(stripUnit(text))) ?? false
  const numbers = fields.filter(({ type }) => type === 'number')
  const signs = new Set(numbers.filter(field => !isWhole(field)).map(({ decimal = '.' }) => decimal))
  if (signs.size !== 1 || !signs.has(',')) return [...fields]
  return fields.map(field =>
    field.type === 'number' && field.name !== idField && isWhole(field) ? withComma(field) : field,
  )
}

/** Whole numbers read the same with either sign, so those that fit still fit. */
const withComma = (field: ProposedField): ProposedField => ({
  ...field,
  decimal: ',',
  fits: field.fits.map(fit => (fit.type === 'number' ? { ...fit, decimal: ',' } : fit)),
})

const wholeNumber = /^[+-]?\d+$/
