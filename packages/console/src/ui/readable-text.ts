/** A value of a document as people read it: grouped digits, and parts of objects by name. */
import { language } from '#i18n/translate.ts'
import { describeValue } from './describe-value.ts'

const numberFormat = new Intl.NumberFormat(language, { maximumFractionDigits: 20 })
/** Smaller numbers may be years. */
const groupedFrom = 10_000
const depthMax = 6

export const readableText = (value: unknown, depth = 0): string => {
  if (typeof value === 'number' && Number.isSafeInteger(value) && Math.abs(value) >= groupedFrom)
    return numberFormat.format(value)
  if (value === null) return ''
  if (Array.isArray(value)) return value.map(each => readableText(each, depth + 1)).join(', ')
  const text = describeValue(value)
  if (typeof value !== 'object' || !text.startsWith('{') || depth >= depthMax) return text
  return Object.entries(value)
    .map(([name, part]) => `${name}: ${readableText(part, depth + 1)}`)
    .join('; ')
}
