/** Finds how the values of documents write numbers or dates. */
import type { Field } from '@querent/contract/workspace-file'
import { type CheckedField, countMisfits } from './count-misfits.ts'

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

/** Returns how most values of a field can be read that do not fit it as it is; undefined if no way takes more of them. */
export const findReading = (
  documents: readonly Readonly<Record<string, unknown>>[],
  name: string,
  field: CheckedField,
): Reading | undefined => {
  let misfitsMin = countMisfits(documents, name, field).misfits
  let bestReading: Reading | undefined
  for (const reading of readingsByType[field.type] ?? []) {
    // The readings are those of the type.
    const { misfits } = countMisfits(documents, name, { ...field, ...reading } as CheckedField)
    if (misfits < misfitsMin) [misfitsMin, bestReading] = [misfits, reading]
  }
  return bestReading
}

const numberForms: Readonly<Record<string, string>> = { ',': '1.000,5', '.': '1,000.5' }

/** `1.000,5` or `dd.MM.yyyy`. */
export const describeReading = (reading: Reading): string =>
  'decimal' in reading ? (numberForms[reading.decimal] ?? reading.decimal) : reading.formats.join('; ')
