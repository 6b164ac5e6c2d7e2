/** Writes numbers of the index as documents write them. */
import { toNumber } from '@querent/contract/exact-json'
import { compileValueReader, stripUnit } from '@querent/contract/read-value'
import type { StoredDocument } from '#api/documents.ts'
import { listValues, readingField } from '#pages/collection/count-misfits.ts'
import { type FieldSummary, readField } from './document-path.ts'

/** Writes the decimal sign of the field. */
export const writeDecimal = (value: string, { decimal }: FieldSummary): string =>
  decimal === ',' ? value.replace('.', ',') : value

/**
 * Returns a function that writes a number as the table shows it. Those that people wrote, such as `19%` and `1.008,68`, come from the
 * documents; others of the field get the sign that all of these have.
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
  return value => textsByNumber.get(value) ?? unit.replace(hole, () => writeDecimal(value, field))
}

const hole = '\0'

/** Leaves the sign around a number: that of a currency, or a percent sign. */
const replaceNumber = (text: string): string => text.trim().replace(stripUnit(text), () => hole)
