/** Texts of inputs for the values of a document. */

/** Whether a document has a number as people write it, such as `1.089,00`. The form then keeps texts, because only the field says how to read them. */
export const isWrittenNumber = (value: unknown): boolean =>
  typeof value === 'string' && !Number.isFinite(Number(value))

/** Whether the text is no number in any form. Only the server knows the form of the field. */
export const isNoNumber = (text: string): boolean => {
  const digits = text.trim().replace(/e[+-]?\d+$/i, '')
  return text.trim() !== '' && (!/\d/.test(digits) || /[^\d.,\s'’+-]/.test(digits))
}

/** Text that is no value of the type stays text, so that the server can say what is wrong. */
export const readFieldText = (text: string, type: string): unknown => {
  if (type === 'boolean') return text === 'true'
  const number = Number(text)
  return type === 'number' && text.trim() !== '' && Number.isFinite(number) ? number : text
}
