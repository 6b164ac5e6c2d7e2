/** Finds how the values of documents write numbers or dates. */

import { type CheckedField, countMisfits } from '@querent/contract/count-misfits'
import type { Field } from '@querent/contract/workspace-file'

export type Reading = { decimal: string } | { formats: readonly string[] }

/** The first one is proposed of two that fit. */
const dateFormats = [
  'dd.MM.yyyy',
  'd.M.yyyy',
  'dd/MM/yyyy',
  'MM/dd/yyyy',
  'dd-MM-yyyy',
  'yyyy/MM/dd',
  'dd.MM.yyyy HH:mm',
  'dd/MM/yyyy HH:mm',
  'MM/dd/yyyy HH:mm',
  'yyyyMMdd',
  'epoch-milliseconds',
  'epoch-seconds',
]

const readingsByType: Partial<Record<Field['type'], readonly Reading[]>> = {
  number: [{ decimal: ',' }, { decimal: '.' }],
  date: dateFormats.map(format => ({ formats: [format] })),
}

/**
 * Returns how most values of a field can be read that do not fit it as it is; undefined if no way takes more of them. `decimal`: the sign of the other
 * numbers of the collection, which counts where both signs read as many values.
 */
export const findReading = (
  documents: readonly Readonly<Record<string, unknown>>[],
  name: string,
  field: CheckedField,
  decimal?: string,
): Reading | undefined => {
  let misfitsMin = countMisfits(documents, name, field).misfits
  let bestReading: Reading | undefined
  const readings = readingsByType[field.type] ?? []
  const isLikely = (reading: Reading) => 'decimal' in reading && reading.decimal === decimal
  for (const reading of [...readings.filter(isLikely), ...readings]) {
    // The readings are those of the type.
    const { misfits } = countMisfits(documents, name, { ...field, ...reading } as CheckedField)
    if (misfits < misfitsMin) [misfitsMin, bestReading] = [misfits, reading]
  }
  return bestReading
}

/** Numbers as each decimal sign writes them. */
export const numberForms: Readonly<Record<string, string>> = { ',': '1.000,5', '.': '1,000.5' }

/** `1.000,5` or `dd.MM.yyyy`. */
export const describeReading = (reading: Reading): string =>
  'decimal' in reading ? (numberForms[reading.decimal] ?? reading.decimal) : reading.formats.join('; ')

/** Returns the decimal sign that the numbers of a collection share; undefined if they have several, or none. */
export const findSharedDecimal = (fields: Readonly<Record<string, Field>>): string | undefined => {
  const signs = new Set(
    Object.values(fields).flatMap(field => (field.type === 'number' ? (field.decimal ?? []) : [])),
  )
  const [sign] = signs.size === 1 ? signs : []
  return sign
}
