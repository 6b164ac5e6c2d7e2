/** Counts the values of documents that a field of another type would not take. */
import { splitAt } from './csv-cells.ts'
import { shortenValue } from './html-text.ts'
import { readListSeparator } from './list-separator.ts'
import type { CollectionSummary } from './manage.ts'
import { readPath } from './read-path.ts'
import { compileValueReader, isEmptyWord, isOneValue } from './read-value.ts'
import type { Field } from './workspace-file.ts'

/** Vectors have a reader of their own, with a number of dimensions. */
export type CheckedField = Exclude<Field, { type: 'vector' }>

export interface Misfits {
  values: number
  misfits: number
  /** Some different ones. */
  examples: string[]
}

/** Returns the field of a summary, with what decides how its values are read; undefined for a vector. */
export const readingField = ({
  type,
  formats,
  decimal,
  pairs,
  listSeparator,
}: CollectionSummary['fields'][number]): CheckedField | undefined =>
  type === 'vector'
    ? undefined
    : // The server has checked that these options are those of the type.
      ({
        type,
        ...(formats ? { formats } : {}),
        ...(decimal ? { decimal } : {}),
        ...(pairs ? { pairs } : {}),
        ...(listSeparator === undefined ? {} : { listSeparator }),
      } as CheckedField)

const examplesMax = 3
const exampleCharacters = 30

export const countMisfits = (
  documents: readonly Readonly<Record<string, unknown>>[],
  name: string,
  field: CheckedField,
): Misfits => {
  const read = compileValueReader(field)
  const path = ('source' in field ? field.source : undefined) ?? name
  const values = documents.flatMap(document => listValues(readPath(document, path), field))
  const misfits = values.filter(value => read(value) === undefined)
  const texts = misfits.map(value => (typeof value === 'object' ? JSON.stringify(value) : String(value)))
  return {
    values: values.length,
    misfits: misfits.length,
    examples: [...new Set(texts)].slice(0, examplesMax).map(text => shortenValue(text, exampleCharacters)),
  }
}

/** Whether the field takes the value of an attribute: all of its values, if it has several. */
export const takesValue = (value: unknown, field: CheckedField): boolean => {
  const read = compileValueReader(field)
  return listValues(value, field).every(one => read(one) !== undefined)
}

/** Returns the values of an attribute as an import finds them: two numbers may be one place, and a text several values. */
export const listValues = (value: unknown, field: CheckedField): unknown[] => {
  const separator = readListSeparator(field)
  const split = (one: unknown) =>
    separator !== undefined && typeof one === 'string' ? (splitAt(one, separator) ?? one) : one
  const values: unknown[] = Array.isArray(value) && !isOneValue(field.type, value) ? value : [value]
  return values
    .flatMap(one => (isOneValue(field.type, one) ? [one] : split(one)))
    .filter(one => one !== undefined && one !== null && !isNone(one, field))
}

const isNone = (value: unknown, { type }: CheckedField): boolean =>
  typeof value === 'string' && isEmptyWord(type, value)
