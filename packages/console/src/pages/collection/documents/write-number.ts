/** Writes numbers of the index as documents write them. */

import { listValues, readingField } from '@querent/contract/count-misfits'
import { toNumber } from '@querent/contract/exact-json'
import { compileValueReader, stripUnit } from '@querent/contract/read-value'
import type { StoredDocument } from '#api/documents.ts'
import { writeDecimal } from '#ui/write-decimal.ts'
import { type FieldSummary, readField } from './document-path.ts'

/**
 * Returns a function that writes a number as the table shows it. Numbers that are texts in documents, such as `19%` and `1.008,68`,
 * stay as they are; others of the field get the unit, the decimals and the groups of digits that all of these texts have.
 */
export const createNumberWriter = (
  field: FieldSummary,
  documents: readonly StoredDocument[],
): ((value: string) => string) => {
  const checked = readingField(field)
  if (!checked) return value => value
  const read = compileValueReader(checked)
  const texts = documents
    .flatMap(document => listValues(readField(document, field), checked))
    .filter(text => typeof text === 'string')
  const textsByNumber = new Map(texts.map(text => [String(toNumber(read(text))), text.trim()]))
  const units = new Set(texts.map(replaceNumber))
  const [unit = hole] = units.size === 1 ? units : []
  const writeDigits = createDigitsWriter(field, texts.map(stripUnit))
  return value => textsByNumber.get(value) ?? unit.replace(hole, () => writeDigits(value))
}

const hole = '\0'

/** Leaves the sign around a number: that of a currency, or a percent sign. */
const replaceNumber = (text: string): string => text.trim().replace(stripUnit(text), () => hole)

const createDigitsWriter = (field: FieldSummary, numbers: readonly string[]): ((value: string) => string) => {
  const sign = field.decimal ?? '.'
  const counts = new Set(numbers.map(text => text.split(sign)[1]?.length ?? 0))
  const [decimals = 0] = counts.size === 1 ? counts : []
  const grouped = numbers.find(text => /^[+-]?\d{1,3}\D\d{3}(?!\d)/.test(text.split(sign)[0] ?? ''))
  const group = grouped && /\d(\D)/.exec(grouped)?.[1]
  return value => {
    const digits = writeDecimal(value, field)
    const [, whole, rest = ''] = /^([+-]?\d+)([.,]\d+)?$/.exec(digits) ?? []
    if (whole === undefined) return digits
    const fraction = decimals === 0 ? rest : `${sign}${rest.slice(1).padEnd(decimals, '0')}`
    return (group === undefined ? whole : whole.replace(/\B(?=(?:\d{3})+$)/g, group)) + fraction
  }
}
