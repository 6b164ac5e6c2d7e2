/** Texts with placeholders, such as `{name}`. */
import { displayEmail } from '@querent/contract/email-address'

export type Values = Readonly<Record<string, string | number>>

export const placeholder = /\{(\w+)\}/

const formatValue = (value: string | number): string => {
  if (typeof value === 'number') return value.toLocaleString(document.documentElement.lang)
  return value.includes('@') ? displayEmail(value) : value
}

/** Fills the placeholders of a text. */
export const interpolate = (text: string, values: Values): string =>
  text.replaceAll(new RegExp(placeholder, 'g'), (match, name: string) => {
    const value = values[name]
    return value === undefined ? match : formatValue(value)
  })

/** Returns the values that a text has at its placeholders in a sentence; undefined if it is another sentence. */
export const matchText = (text: string, sentence: string): Values | undefined => {
  if (!text.includes('{')) return text === sentence ? {} : undefined
  const pattern = text
    .split(new RegExp(placeholder, 'g'))
    .map((part, index) => (index % 2 === 0 ? part.replaceAll(/[^\w\s]/g, '\\$&') : `(?<${part}>.*)`))
    .join('')
  return new RegExp(`^${pattern}$`, 's').exec(sentence)?.groups
}

/** Translates a sentence and the values in it, by the texts that they may be; undefined if it is none of these. */
export const translateParts = (
  texts: Readonly<Record<string, string>>,
  sentence: string,
): string | undefined => {
  for (const [text, translation] of Object.entries(texts)) {
    const values = matchText(text, sentence)
    if (!values) continue
    const words = Object.entries(values).map(([name, value]) => [
      name,
      translateParts(texts, String(value)) ?? value,
    ])
    return interpolate(translation, Object.fromEntries(words))
  }
  return undefined
}
