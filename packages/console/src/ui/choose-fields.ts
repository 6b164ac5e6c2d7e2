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

/** How useful a field is to somebody who reads a list: most results have it, it is short, and it differs between them. */
const rateField = (name: string, entities: Entities): number => {
  const values = entities.flatMap(({ attributes }) =>
    hasValue(attributes[name]) ? [[attributes[name]].flat()[0]] : [],
  )
  const texts = values.map(value => (typeof value === 'object' ? JSON.stringify(value) : String(value)))
  const penalties: readonly [applies: boolean, penalty: number][] = [
    [/(^|[\s_.:/-])(uu)?ids?$/i.test(name) || /[a-z]Id$/.test(name), 1],
    [isPictureField(name, values), 1],
    [texts.some(text => /^https?:\/\//i.test(text)), 0.5],
    [values.some(value => typeof value === 'object'), 0.4],
    [texts.some(text => text.length > longText), 0.2],
    [texts.length > 1 && new Set(texts).size === 1, 0.3],
  ]
  const penalty = penalties.reduce((sum, [applies, amount]) => sum + (applies ? amount : 0), 0)
  return values.length / entities.length - penalty
}

/** Returns how useful each field of the results is. */
export const rateFields = (entities: Entities): ReadonlyMap<string, number> =>
  new Map(listFields(entities).map(name => [name, rateField(name, entities)]))

/** Returns the most useful of some fields, in their order. Fields with a match come first: they say why the result was found. */
export const chooseFields = (
  names: readonly string[],
  ratings: ReadonlyMap<string, number>,
  matching: readonly string[],
): string[] => {
  const rate = (name: string) => (ratings.get(name) ?? 0) + (matching.includes(name) ? 2 : 0)
  const best = names.toSorted((one, next) => rate(next) - rate(one)).slice(0, fieldsMax)
  return names.filter(name => best.includes(name))
}
