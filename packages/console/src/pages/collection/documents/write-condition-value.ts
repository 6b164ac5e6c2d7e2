import { writeBoolean } from '#ui/boolean-words.ts'
import { describeValue } from '#ui/describe-value.ts'
import type { FieldSummary } from './document-path.ts'
import { writeDecimal } from './write-number.ts'

/** Writes a value of a filter as documents show it: dates as dates, and numbers with the decimal sign of their field. */
export const writeConditionValue = (value: string, field: FieldSummary | undefined): string => {
  switch (field?.type) {
    case 'date':
      return describeValue(value)
    case 'number':
      return writeDecimal(value, field)
    case 'boolean':
      return writeBoolean(value) ?? value
    default:
      return value
  }
}
