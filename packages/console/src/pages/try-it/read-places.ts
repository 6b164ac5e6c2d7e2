/** Places in results, for the map. */
import type { Entity } from '@querent/contract/query'

export interface Place {
  lat: number
  lon: number
}

const isPlace = (value: unknown): value is Place =>
  typeof value === 'object' &&
  value !== null &&
  'lat' in value &&
  'lon' in value &&
  typeof value.lat === 'number' &&
  typeof value.lon === 'number' &&
  Math.abs(value.lat) <= 90 &&
  Math.abs(value.lon) <= 180

/** The places in the fields of a document. */
export const readPlaces = ({ attributes }: Pick<Entity, 'attributes'>): Place[] =>
  Object.values(attributes).flatMap(value => [value].flat().filter(isPlace))

export const hasPlaces = (items: readonly { tuple: readonly Entity[] }[]): boolean =>
  items.some(({ tuple: [entity] }) => entity && readPlaces(entity).length > 0)
