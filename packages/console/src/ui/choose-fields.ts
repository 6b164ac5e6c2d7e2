/** The fields that a result shows if nobody chose any. */
import type { Entity } from '@querent/contract/query'
import { isPictureField } from './pictures.ts'

/** More fields would leave few results on a screen. */
const fieldsMax = 5

/** Empty lists and missing values are not worth a line. */
export const hasValue = (value: unknown): boolean =>
  value !== null && value !== undefined && value !== '' && (!Array.isArray(value) || value.length > 0)

type Entities = readonly Pick<Entity, 'attributes'>[]

/** Lists the fields that the results have, in the order of their documents. */
export const listFields = (entities: Entities): string[] => [
  ...new Set(
    entities.flatMap(({ attributes }) =>
      Object.entries(attributes).flatMap(([name, value]) => (hasValue(value) ? [name] : [])),
    ),
  ),
]

/** A longer text takes the place of several values. */
const longText = 240

/** Names of values that tell documents apart for programs. */
const identifier =
  /(^|[\s_.:/-])((uu|gu)?ids?|sku|slug|handle|gtin|ean|isbn|mpn|barcode|hash|checksum|etag|token|code|key)$|[a-z](Id|Sku|Code|Key|Hash)$/i
/** Names of numbers that people compare. */
const measure =
  /pri(ce|js|x|s$)|preis|precio|prezzo|preço|cena|hinta|cost|kosten|amount|bedrag|betrag|montant|importe|fee|salar|salaire|gehalt|lohn|wage|sueldo|stipendio|\brent|miete|huur|loyer|alquiler|affitto|czynsz|rating|score|stars|popul|€|\$|£|(^|[\s_.(-])(eur|usd|gbp|chf|kg|km|min)\b/i
/** Names of values that people choose by. */
const choice =
  /type|kind|soort|categor|genre|group|status|brand|merk|marke|author|artist|vendor|country|city|place|language/i
/** A number with its unit or currency, such as `€ 12.50` or `3 kg`. */
const measureText = /^\W{0,2}\d[\d.,\s]*\s?(\p{Sc}|\p{L}{1,3}|%)$|^\p{Lu}{0,3}\p{Sc}\s?\d/u
const dateText = /^\d{4}-\d\d(-\d\d)?([T ]|$)/
/** Words, and no code. */
const wordsText = /^\p{L}[\p{L}’'-]*( [\p{L}\d’'&-]+){1,7}$/u

/** A number, or an object with one: `{ amount: 12.5, currency: EUR }`. */
const hasNumber = (value: unknown): boolean =>
  typeof value === 'number' ||
  (typeof value === 'object' &&
    value !== null &&
    Object.values(value).some(inner => typeof inner === 'number'))

/** How useful a field is to somebody who reads a list: most results have it, it is short, it tells something, and it differs between them. */
const rateField = (name: string, entities: Entities): number => {
  const values = entities.flatMap(({ attributes }) =>
    hasValue(attributes[name]) ? [[attributes[name]].flat()[0]] : [],
  )
  const texts = values.map(value => (typeof value === 'object' ? JSON.stringify(value) : String(value)))
  const isMeasure =
    (measure.test(name) && values.every(hasNumber)) || texts.every(text => measureText.test(text))
  const weights: readonly [applies: boolean, weight: number][] = [
    [identifier.test(name), -1],
    [isPictureField(name, values), -1],
    [texts.some(text => /^https?:\/\//i.test(text)), -0.5],
    [values.some(value => typeof value === 'object') && !isMeasure, -0.4],
    [texts.some(text => text.length > longText), -0.2],
    [texts.length > 1 && new Set(texts).size === 1, -0.3],
    [isMeasure, 0.4],
    [choice.test(name), 0.3],
    [texts.every(text => dateText.test(text)), 0.2],
    [texts.some(text => wordsText.test(text)), 0.1],
  ]
  return weights.reduce(
    (sum, [applies, weight]) => sum + (applies ? weight : 0),
    values.length / entities.length,
  )
}

/** Returns how useful each field of the results is. */
export const rateFields = (entities: Entities): ReadonlyMap<string, number> =>
  new Map(listFields(entities).map(name => [name, rateField(name, entities)]))

/**
 * Returns the most useful of some fields, in their order, with identifiers last. Fields with a match come first: they say why the result was
 * found.
 */
export const chooseFields = (
  names: readonly string[],
  ratings: ReadonlyMap<string, number>,
  matching: readonly string[],
): string[] => {
  const rate = (name: string) => (ratings.get(name) ?? 0) + (matching.includes(name) ? 2 : 0)
  const best = names.toSorted((one, next) => rate(next) - rate(one)).slice(0, fieldsMax)
  const chosen = names.filter(name => best.includes(name))
  const isLast = (name: string) => identifier.test(name) && !matching.includes(name)
  return [...chosen.filter(name => !isLast(name)), ...chosen.filter(isLast)]
}
