/** Reads the numbers and dates of parameters as people type them. Loaded with the first such field. */
import type { FaultText } from '@querent/contract/fault-texts'
import { describeWrongValue } from '@querent/contract/field-value'
import type { ValueForm } from '@querent/contract/value-form'
import { writeDateExample } from '#ui/date-example.ts'
import { readAddressValue } from '#ui/typed-value.ts'

/** Returns the value as the address has it, or the text if it is none ({@link describeParameterFault}). */
export const readParameter = (text: string, type: 'number' | 'date', form: ValueForm): string =>
  text.trim() === '' ? '' : (readAddressValue(text, type, form) ?? text)

/** Says why a text is no value of the parameter. Undefined: it is one, or blank. */
export const describeParameterFault = (
  text: string,
  type: 'number' | 'date',
  form: ValueForm,
): FaultText | undefined =>
  text.trim() === '' || readAddressValue(text, type, form) !== undefined
    ? undefined
    : describeWrongValue(`"${text.trim()}"`, [type])

/**
 * Returns the texts to find a value of a facet by, best first: as it is, and as the index has the number or the date that it says. The facet
 * has the values of one field, whose type is not known here.
 */
export const listFacetTexts = (text: string, form: ValueForm): string[] => {
  const readings = [
    readAddressValue(text, 'number', form),
    readAddressValue(text, 'date', form),
    // The beginning of a number.
    form.decimal === ',' && /^[+-]?\d[\d.]*,$/.test(text)
      ? `${text.slice(0, -1).replaceAll('.', '')}.`
      : undefined,
  ].filter(reading => reading !== undefined)
  const hasForm = form.decimal !== undefined || form.formats !== undefined
  return [...new Set(hasForm ? [...readings, text] : [text, ...readings])]
}

/** A number needs no example, which would look like one of the data, unless documents write it with a comma. */
export const writeExample = (
  type: 'number' | 'date',
  { decimal, formats }: ValueForm,
): string | undefined => {
  if (type === 'date') return writeDateExample(formats)
  return decimal === ',' ? '1.234,5' : undefined
}
