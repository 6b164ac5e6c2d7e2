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

const findPlaces = (value: unknown): Place[] => {
  if (isPlace(value)) return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(findPlaces) : []
}

/** The places in the fields of a document, also in those of nested objects. */
export const readPlaces = ({ attributes }: Pick<Entity, 'attributes'>): Place[] => findPlaces(attributes)

export const hasPlaces = (items: readonly { tuple: readonly Entity[] }[]): boolean =>
  items.some(({ tuple: [entity] }) => entity && readPlaces(entity).length > 0)
