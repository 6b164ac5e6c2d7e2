/** Counts the values of documents that a field of another type would not take. */
import { splitAt } from '@querent/contract/csv-cells'
import { shortenValue } from '@querent/contract/html-text'
import { readListSeparator } from '@querent/contract/list-separator'
import { readPath } from '@querent/contract/read-path'
import { compileValueReader, isEmptyWord } from '@querent/contract/read-value'
import type { Field } from '@querent/contract/workspace-file'

/** Vectors have a reader of their own, with a number of dimensions. */
export type CheckedField = Exclude<Field, { type: 'vector' }>

export interface Misfits {
  values: number
  misfits: number
  /** Some different ones. */
  examples: string[]
}

const examplesMax = 3
const exampleCharacters = 30

export const countMisfits = (
  documents: readonly Readonly<Record<string, unknown>>[],
  name: string,
  field: CheckedField,
): Misfits => {
  const read = compileValueReader(field)
  const path = ('source' in field ? field.source : undefined) ?? name
  const separator = readListSeparator(field)
  const split = (value: unknown) =>
    separator !== undefined && typeof value === 'string' ? (splitAt(value, separator) ?? value) : value
  const values = documents
    .flatMap(document => [readPath(document, path)].flat())
    .flatMap(split)
    .filter(value => value !== undefined && value !== null && !isNone(value, field))
  const misfits = values.filter(value => read(value) === undefined)
  const texts = misfits.map(value => (typeof value === 'object' ? JSON.stringify(value) : String(value)))
  return {
    values: values.length,
    misfits: misfits.length,
    examples: [...new Set(texts)].slice(0, examplesMax).map(text => shortenValue(text, exampleCharacters)),
  }
}

const isNone = (value: unknown, { type }: CheckedField): boolean =>
  typeof value === 'string' && isEmptyWord(type, value)
