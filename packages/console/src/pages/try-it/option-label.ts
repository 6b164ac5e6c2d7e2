/** Writes the value of a facet's option in words. Its own title is the value as URLs have it: `..20000`, or nothing. */
import type { ValueForm } from '@querent/contract/value-form'
import { language, t } from '#i18n/translate.ts'
import { writeBoolean } from '#ui/boolean-words.ts'
import { writeDecimal } from '#ui/write-decimal.ts'

const range = /^(-?\d[\dT:.Z+-]*?)?\.\.(-?\d[\dT:.Z+-]*)?$/
/** Shorter numbers may be years. */
const groupedFrom = 10_000

/** `title`: that of the option, which differs from its value if values have titles of their own. `form`: how documents write the values. */
export const labelOption = (value: string, title = value, form: ValueForm = {}): string => {
  if (value === '' && title === '') return t('No value')
  if (title === value && writeBoolean(value) !== undefined) return writeBoolean(value) ?? ''
  const [matched, from, to] = range.exec(value) ?? []
  if (!matched || title !== value || (from === undefined && to === undefined))
    return title === value ? writeDecimal(title, form) : title
  if (from === undefined) return t('under {to}', { to: writeEnd(to, form) })
  return to === undefined
    ? t('{from} and more', { from: writeEnd(from, form) })
    : t('{from} to {to}', { from: writeEnd(from, form), to: writeEnd(to, form) })
}

/** Dates stay as they are. */
const writeEnd = (end = '', form: ValueForm): string => {
  const number = Number(end)
  return Number.isNaN(number) || Math.abs(number) < groupedFrom
    ? writeDecimal(end, form)
    : number.toLocaleString(form.decimal === ',' ? 'de' : language, { maximumFractionDigits: 20 })
}
