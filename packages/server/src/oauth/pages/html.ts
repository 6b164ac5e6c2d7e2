/** HTML whose values are escaped unless they are HTML themselves. The escaping is ghtml's; that nothing passes it by is a matter of types. */
import { html as escaped } from 'ghtml'

/** A piece of HTML that came out of {@link html}. */
export class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** What may stand in a template; `undefined` and `false` leave nothing, as in `condition && html…`. */
type Value = string | number | Markup | undefined | false | readonly Value[]

const renderValue = (value: Value): string => {
  if (value === undefined || value === false) return ''
  if (value instanceof Markup) return value.text
  if (typeof value === 'object') return value.map(renderValue).join('')
  return escaped`${value}`
}

/** Attribute values stand in double quotes, in which everything is safe that this lets through. */
export const html = (literals: TemplateStringsArray, ...values: Value[]): Markup =>
  new Markup(literals.reduce((text, literal, index) => text + renderValue(values[index - 1]) + literal))
