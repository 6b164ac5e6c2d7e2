/** Reads the numbers and dates of parameters as people type them. Loaded with the first such field. */
import type { ValueForm } from '@querent/contract/value-form'
import { writeDateExample } from '#ui/date-example.ts'
import { readAddressValue } from '#ui/typed-value.ts'

/** Returns the value as the address has it. The server says what is wrong with a text that is none. */
export const readParameter = (text: string, type: 'number' | 'date', form: ValueForm): string =>
  text.trim() === '' ? '' : (readAddressValue(text, type, form) ?? text)

/** A number needs no example, which would look like one of the data, unless documents write it with a comma. */
export const writeExample = (
  type: 'number' | 'date',
  { decimal, formats }: ValueForm,
): string | undefined => {
  if (type === 'date') return writeDateExample(formats)
  return decimal === ',' ? '1.234,5' : undefined
}
