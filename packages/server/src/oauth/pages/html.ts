/**
 * HTML templates that escape values, except for Markup. ghtml escapes; types make sure that nothing bypasses
 * it.
 */
import { html as escaped } from 'ghtml'

/** HTML created by {@link html}. */
export class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** Values of a template; `undefined` and `false` render nothing, as in `condition && html…`. */
type Value = string | number | Markup | undefined | false | readonly Value[]

const renderValue = (value: Value): string => {
  if (value === undefined || value === false) return ''
  if (value instanceof Markup) return value.text
  if (typeof value === 'object') return value.map(renderValue).join('')
  return escaped`${value}`
}

/** Put attribute values in double quotes; the escaping makes them safe there. */
export const html = (literals: TemplateStringsArray, ...values: Value[]): Markup =>
  new Markup(literals.reduce((text, literal, index) => text + renderValue(values[index - 1]) + literal))
