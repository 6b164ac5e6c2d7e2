/** Texts of inputs for the values of a document. */
import type { ValueForm } from '@querent/contract/value-form'
import { readTypedValue } from '#ui/typed-value.ts'

/** Whether a document has a number as people write it, such as `1.089,00`. The form then keeps texts, because only the field says how to read them. */
export const isWrittenNumber = (value: unknown): boolean =>
  typeof value === 'string' && !Number.isFinite(Number(value))

/** Whether the text is no number in any form. Only the server knows the form of the field. */
export const isNoNumber = (text: string): boolean => {
  const digits = text.trim().replace(/e[+-]?\d+$/i, '')
  return text.trim() !== '' && (!/\d/.test(digits) || /[^\d.,\s'’+-]/.test(digits))
}

/**
 * Text that is no value of the type stays text, so that the server can say what is wrong. So does a number that the form of the field reads
 * otherwise than JavaScript: `1.234` is 1234 where documents write decimal commas, and an import reads it.
 */
export const readFieldText = (text: string, type: string, form: Readonly<ValueForm> = {}): unknown => {
  if (type === 'boolean') return text === 'true'
  const number = Number(text)
  if (type !== 'number' || text.trim() === '' || !Number.isFinite(number)) return text
  return form.decimal === undefined || readTypedValue(text, type, form) === number ? number : text
}
