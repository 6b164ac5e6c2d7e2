/** Short values that tell documents with the same heading apart, such as the day and the place of an event. */
import type { Entity } from '@querent/contract/query'
import { listFields, rateFields } from './choose-fields.ts'
import { readHeading } from './heading.ts'
import { readableText } from './readable-text.ts'
import { spreadContainers } from './spread-containers.ts'

type Document = Pick<Entity, 'id' | 'attributes'>

/** More fields would hide the heading. */
const fieldsMax = 2
/** A longer value describes rather than tells apart. */
const charactersMax = 60

/** Returns the values of one or two fields for each document that shares its heading with another one, by id. Only fields that differ count. */
export const tellApart = (documents: readonly Document[]): ReadonlyMap<string, string> => {
  const sameHeadings = Map.groupBy(documents, document => readHeading(document).text)
  const texts = new Map<string, string>()
  for (const group of sameHeadings.values()) {
    if (group.length < 2) continue
    const entities = group.map(({ id, attributes }) => ({ id, attributes: spreadContainers(attributes) }))
    const fields = chooseDifferentFields(entities)
    for (const entity of entities) {
      const values = fields.map(name => writeField(entity, name)).filter(text => text !== '')
      if (values.length > 0) texts.set(entity.id, values.join(' · '))
    }
  }
  return texts
}

/** Returns the field whose values differ most, and a second one if some documents still read the same. */
const chooseDifferentFields = (entities: readonly Document[]): string[] => {
  const ratings = rateFields(entities)
  const names = listFields(entities).filter(name =>
    entities.every(entity => writeField(entity, name).length <= charactersMax),
  )
  const chosen: string[] = []
  while (chosen.length < fieldsMax) {
    const count = countReadings(entities, chosen)
    const rate = (name: string) =>
      countReadings(entities, [...chosen, name]) / entities.length + (ratings.get(name) ?? 0)
    const [best] = names
      .filter(name => countReadings(entities, [...chosen, name]) > count)
      .toSorted((one, next) => rate(next) - rate(one))
    if (best === undefined) break
    chosen.push(best)
  }
  return chosen
}

/** Counts the different readings of the documents by these fields. */
const countReadings = (entities: readonly Document[], names: readonly string[]): number =>
  new Set(entities.map(entity => JSON.stringify(names.map(name => writeField(entity, name))))).size

const writeField = ({ attributes }: Document, name: string): string => readableText(attributes[name] ?? '')
