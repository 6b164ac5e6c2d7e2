/** Decides about one document what row filters and `readers` decide in the index. Tests compare both. */
import { toExactNumber } from '@querent/contract/exact-number'
import type { RowFilter, RowFilterCondition } from '@querent/contract/manage'
import { readCondition, type TypedCondition } from '@querent/contract/read-condition'
import type { Collection, Field, FieldType } from '@querent/contract/workspace-file'
import { valueFunctions } from '@querent/engine'

/** Returns a test whether a document names the caller or everyone. */
export const readersMatcher = (
  names: readonly string[],
  { field, everyone }: NonNullable<Collection['readers']>,
): ((attributes: Readonly<Record<string, unknown>>) => boolean) => {
  const matching = new Set<unknown>(everyone === undefined ? names : [everyone, ...names])
  // Numbers and booleans are indexed as their JSON text.
  return attributes =>
    readValues(attributes, field).some(
      value => value !== null && value !== undefined && matching.has(String(value)),
    )
}

/** A condition on one field of a row filter. */
export interface FieldCondition {
  field: string
  /** As the filter writes it, with attributes replaced. */
  condition: RowFilterCondition
  /** Whether a document with these values matches. */
  fits: (values: readonly unknown[]) => boolean
}

/** Compiles a filter; a document matches if it fits every condition. `now`: the time of the query, RFC 3339. */
export const compileFilter = (
  filter: RowFilter,
  fields: Readonly<Record<string, Field>>,
  now: string,
): FieldCondition[] =>
  Object.entries(filter).map(([field, condition]) => {
    const type = Object.hasOwn(fields, field) ? fields[field]?.type : undefined
    const typed = readCondition(type, condition, now)
    return {
      field,
      condition,
      fits: typed && type !== undefined ? matcher(type, typed) : () => false,
    }
  })

/** Returns the values of a field. `attributes`: those that the index has (`indexedAttributes`). */
export const readValues = (
  attributes: Readonly<Record<string, unknown>>,
  field: string,
): readonly unknown[] => {
  const value = Object.hasOwn(attributes, field) ? attributes[field] : undefined
  return Array.isArray(value) ? value : [value]
}

/** Returns a test for the values of a document. A value of a date without time is the whole day, in UTC. */
const matcher = (type: FieldType, condition: TypedCondition): FieldCondition['fits'] => {
  if (condition.kind === 'not') {
    const fits = matcher(type, condition.condition)
    return values => !fits(values)
  }
  if (type === 'date') return dateMatcher(condition)
  if (type === 'number') return numberMatcher(condition)
  if (condition.kind === 'range') return () => false
  return values => values.some(value => condition.values.some(one => one === value))
}

/** Compares whole numbers by all their digits, as the engines do. */
const numberMatcher = (condition: Exclude<TypedCondition, { kind: 'not' }>): FieldCondition['fits'] => {
  const fits = (test: (number: number | bigint) => boolean) => (values: readonly unknown[]) =>
    values.some(value => {
      const number = typeof value === 'string' ? undefined : toExactNumber(value)
      return number !== undefined && test(number)
    })
  if (condition.kind === 'values') {
    const numbers = new Set(condition.values.map(toExactNumber))
    return fits(number => numbers.has(number))
  }
  const first = toExactNumber(condition.from) ?? Number.NEGATIVE_INFINITY
  const last = toExactNumber(condition.to) ?? Number.POSITIVE_INFINITY
  return fits(number => number >= first && number <= last)
}

const dateMatcher = (condition: Exclude<TypedCondition, { kind: 'not' }>): FieldCondition['fits'] => {
  const spans =
    condition.kind === 'values'
      ? condition.values.map(value => readMoments(value))
      : [
          {
            from: condition.from === undefined ? undefined : readMoments(condition.from)?.from,
            to: condition.to === undefined ? undefined : readMoments(condition.to)?.to,
          },
        ]
  return values =>
    values.some(value => {
      const moments = readMoments(value)
      return (
        moments !== undefined &&
        spans.some(
          span =>
            span !== undefined &&
            (span.from === undefined || moments.from >= span.from) &&
            (span.to === undefined || moments.from <= span.to),
        )
      )
    })
}

/** Microseconds since 1970, as the engines compare dates. */
const readMoments = (value: unknown): { from: bigint; to: bigint } | undefined =>
  typeof value === 'string' ? (valueFunctions().parseDate(value) ?? undefined) : undefined

/** Whether the document matches all conditions. */
export const matchesAll = (
  conditions: readonly FieldCondition[],
  attributes: Readonly<Record<string, unknown>>,
): boolean => conditions.every(({ field, fits }) => fits(readValues(attributes, field)))
