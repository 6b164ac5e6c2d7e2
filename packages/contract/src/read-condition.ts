/** Reads the conditions of row filters in terms of a field's type. Queries and writes both use it, so that they agree. */
import { type FilterableType, isFilterable, isWholeDay, readFieldValue } from './field-value.ts'
import { listedValues, nowValue } from './listed-values.ts'
import type { RangeCondition, RowFilterCondition, RowFilterScalar } from './manage/row-filter.ts'
import type { FieldType } from './workspace-file.ts'

/** A condition whose values have the type of the field. */
export type TypedCondition =
  /** A document matches if it has one of the values. */
  | { kind: 'values'; values: (string | number | boolean)[] }
  | { kind: 'range'; from?: string | number; to?: string | number }
  | { kind: 'not'; condition: TypedCondition }

/** Whether the condition depends on the time, in a field of type date. */
export const usesNow = (condition: RowFilterCondition): boolean => {
  const values = listedValues(condition)
  if (values) return values.includes(nowValue)
  if (typeof condition !== 'object' || Array.isArray(condition)) return false
  if ('not' in condition) return usesNow(condition.not)
  return !('member' in condition) && [condition.from, condition.to].includes(nowValue)
}

/** Times within a day. */
const dayTimes = { from: 'T00:00:00Z', to: 'T23:59:59.999999999Z' }

/** Returns a value of the type; undefined if there is none. `now`: the time of the query, RFC 3339. */
export const readConditionValue = (
  type: FilterableType,
  value: RowFilterScalar,
  now: string,
): string | number | boolean | undefined =>
  type === 'date' && value === nowValue ? now : readFieldValue(type, String(value))

/** Returns an end of a range; undefined if the type has no such value. */
export const readRangeEnd = (
  type: 'number' | 'date',
  value: string | number,
  end: keyof typeof dayTimes,
  now: string,
): string | number | undefined => {
  const read = readConditionValue(type, value, now)
  if (typeof read === 'string') return isWholeDay(read) ? `${read}${dayTimes[end]}` : read
  return typeof read === 'number' ? read : undefined
}

/**
 * Reads a condition in which attributes are replaced by their values. Returns undefined if no document of the field can match it, or if
 * nobody can tell: such a condition matches nothing, also inside `not`.
 */
export const readCondition = (
  type: FieldType | undefined,
  condition: RowFilterCondition,
  now: string,
  isNegated = false,
): TypedCondition | undefined => {
  if (type === undefined || !isFilterable(type)) return undefined
  const listed = listedValues(condition)
  if (listed) {
    const values = listed
      .map(value => readConditionValue(type, value, now))
      .filter(value => value !== undefined)
    // In a negation, a value that is left out would open documents.
    return values.length === 0 || (isNegated && values.length < listed.length)
      ? undefined
      : { kind: 'values', values }
  }
  if (typeof condition !== 'object' || Array.isArray(condition) || 'member' in condition) return undefined
  if ('not' in condition) {
    const negated = readCondition(type, condition.not, now, true)
    return negated && { kind: 'not', condition: negated }
  }
  return readRange(type, condition, now)
}

const readRange = (
  type: FilterableType,
  { from, to }: RangeCondition,
  now: string,
): TypedCondition | undefined => {
  if (type !== 'number' && type !== 'date') return undefined
  const first = from === undefined ? undefined : readRangeEnd(type, from, 'from', now)
  const last = to === undefined ? undefined : readRangeEnd(type, to, 'to', now)
  if ((from !== undefined && first === undefined) || (to !== undefined && last === undefined))
    return undefined
  return {
    kind: 'range',
    ...(first === undefined ? {} : { from: first }),
    ...(last === undefined ? {} : { to: last }),
  }
}
