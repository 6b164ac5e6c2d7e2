/** The simplest conditions of row filters. Apart from read-condition.ts, because pages of the console load it early. */
import type { RowFilterCondition, RowFilterScalar } from './manage/row-filter.ts'

/** A value of a date field, or an end of its ranges: the time of the query. */
export const nowValue = 'now'

/** Returns the values of a condition that is a value or a list of them; undefined for all others. */
export const listedValues = (condition: RowFilterCondition): readonly RowFilterScalar[] | undefined => {
  if (Array.isArray(condition)) return condition
  return typeof condition === 'object' ? undefined : [condition]
}
