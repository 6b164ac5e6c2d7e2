/** Places in results, for the map. */
import type { Entity } from '@querent/contract/query'

export interface Place {
  lat: number
  lon: number
}

const readDegrees = (value: unknown, max: number): number | undefined => {
  const degrees = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof degrees === 'number' && Math.abs(degrees) <= max ? degrees : undefined
}

const makePlace = (latitude: unknown, longitude: unknown): Place | undefined => {
  const [lat, lon] = [readDegrees(latitude, 90), readDegrees(longitude, 180)]
  return lat === undefined || lon === undefined ? undefined : { lat, lon }
}

/** Reads the objects that a field of type `geo` takes (workspace-file.md), and the two attributes that it is often made of. */
const readPlace = (object: Readonly<Record<string, unknown>>): Place | undefined => {
  const { type, coordinates, lat, lon, lng, latitude, longitude } = object
  return type === 'Point' && Array.isArray(coordinates)
    ? makePlace(coordinates[1], coordinates[0])
    : makePlace(lat ?? latitude, lon ?? lng ?? longitude)
}

const findPlaces = (value: unknown): Place[] => {
  if (typeof value !== 'object' || value === null) return []
  const place = readPlace(value as Readonly<Record<string, unknown>>)
  return place ? [place] : Object.values(value).flatMap(findPlaces)
}

/** The places in the fields of a document, also in those of nested objects. */
export const readPlaces = ({ attributes }: Pick<Entity, 'attributes'>): Place[] => findPlaces(attributes)

export const hasPlaces = (items: readonly { tuple: readonly Entity[] }[]): boolean =>
  items.some(({ tuple: [entity] }) => entity && readPlaces(entity).length > 0)
