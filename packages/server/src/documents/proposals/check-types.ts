/** Checks the types of a proposal against a whole file, because a sample may miss values that a type rejects. */
import { splitAt, splitList } from '@querent/contract/csv-cells'
import { shortenValue } from '@querent/contract/html-text'
import {
  findSwappedDecimal,
  findSwappedFormat,
  type Proposal,
  type ProposedField,
} from '@querent/contract/proposal'
import { readPath } from '@querent/contract/read-path'
import { createReader, isNone } from './find-type.ts'

const examplesMax = 3
const exampleCharacters = 40

/** Counts of the values of a field in a file. */
interface FieldCheck {
  field: ProposedField
  values: number
  rejected: number
  examples: Set<string>
  /** Number of values that do not fit the other order of day and month, or the other decimal sign. Undefined if the sample tells it. */
  rejectedSwapped: number | undefined
  take: (value: unknown) => void
}

/**
 * `watch` yields the documents again; `finish` returns the proposal with other types where values need them. A number, date or boolean that some values are
 * not becomes a text, so that no document is lost. A date whose values tell the order of day and month has that order, and a number the decimal sign that
 * its values tell. `isTable`: values are cells.
 */
export const createTypeCheck = (proposal: Proposal, isTable: boolean) => {
  const checks = proposal.fields
    .filter(({ type, use, from }) => use && !from && ['number', 'date', 'boolean'].includes(type))
    .map(field => createFieldCheck(field, isTable))
  return {
    async *watch(
      documents: AsyncIterable<readonly Record<string, unknown>[]>,
    ): AsyncGenerator<readonly Record<string, unknown>[]> {
      for await (const part of documents) {
        for (const { field, take } of checks)
          for (const document of part) take(readPath(document, field.name))
        yield part
      }
    },
    finish: (checked: Proposal): Proposal => ({
      ...checked,
      fields: checked.fields.map(field => {
        const check = checks.find(candidate => candidate.field.name === field.name)
        return check ? applyCheck(field, check) : field
      }),
    }),
  }
}

const createFieldCheck = (field: ProposedField, isTable: boolean): FieldCheck => {
  const takes = createReader(field, isTable)
  const swapped = findSwappedReading(field)
  const takesSwapped = swapped && createReader({ type: field.type, ...swapped }, isTable)
  const check: FieldCheck = {
    field,
    values: 0,
    rejected: 0,
    examples: new Set(),
    rejectedSwapped: swapped === undefined ? undefined : 0,
    take: value => {
      for (const part of listParts(value, isTable, field.listSeparator)) {
        if (typeof part === 'string' && (part === '' || isNone(field.type, part))) continue
        check.values += 1
        if (takesSwapped?.(part) === undefined && check.rejectedSwapped !== undefined)
          check.rejectedSwapped += 1
        if (takes(part) !== undefined) continue
        check.rejected += 1
        if (check.examples.size < examplesMax)
          check.examples.add(shortenValue(String(part), exampleCharacters))
      }
    },
  }
  return check
}

/** Returns the other format or decimal sign that reads all values of the sample too. */
const findSwappedReading = (field: ProposedField): Pick<ProposedField, 'formats' | 'decimal'> | undefined => {
  const format = findSwappedFormat(field)
  if (format !== undefined) return { formats: [format] }
  const decimal = findSwappedDecimal(field)
  return decimal && { decimal }
}

const listParts = (
  value: unknown,
  isTable: boolean,
  listSeparator: string | undefined,
): readonly unknown[] => {
  if (value === undefined || value === null) return []
  const values = Array.isArray(value) ? value.filter(item => item !== null) : [value]
  const cells = isTable ? values.flatMap(cell => splitList(String(cell)) ?? [String(cell)]) : values
  return listSeparator === undefined
    ? cells
    : cells.flatMap(cell => (typeof cell === 'string' && splitAt(cell, listSeparator)) || [cell])
}

const applyCheck = (field: ProposedField, check: FieldCheck): ProposedField => {
  const { type, formats, decimal, fits } = field
  const { values, rejected, examples, rejectedSwapped } = check
  const swapped = findSwappedReading(field)
  const otherFits = fits.filter(fit => fit.type !== type)
  const reading = { ...(formats ? { formats } : {}), ...(decimal ? { decimal } : {}) }
  const isReadingKnown = rejectedSwapped !== undefined && (rejected === 0) !== (rejectedSwapped === 0)
  if (swapped && isReadingKnown) {
    const knownReading = rejected === 0 ? reading : swapped
    return {
      ...field,
      ...knownReading,
      fits: [...otherFits, { type, plain: 0, fitting: field.values, ...knownReading }],
    }
  }
  if (rejected === 0) return field
  const { formats: _, decimal: __, ...others } = field
  const fitting = values - rejected
  return {
    ...others,
    type: 'text',
    facet: false,
    range: false,
    sort: false,
    breaksTies: false,
    values,
    fits: [...otherFits, { type, plain: fitting, fitting, rejected: [...examples], ...reading }],
  }
}
