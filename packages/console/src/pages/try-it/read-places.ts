/** Places in results, for the map. */
import type { FieldSummary } from '@querent/contract/manage'
import type { Entity } from '@querent/contract/query'
import { readPath } from '@querent/contract/read-path'

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

/** A field of type `geo`. */
export type PlaceField = Pick<FieldSummary, 'name' | 'source' | 'from' | 'pairs'>

/** Reads the forms that only the field tells: two attributes, a list of two numbers, and texts with latitude and longitude or a point of WKT. */
const readDeclared = (
  attributes: Entity['attributes'],
  { name, source, from, pairs }: PlaceField,
): Place[] => {
  const place = from && makePlace(readPath(attributes, from.lat), readPath(attributes, from.lon))
  if (from) return place ? [place] : []
  const value = readPath(attributes, source ?? name)
  const values: unknown[] = Array.isArray(value) && !isPair(value) ? value : [value]
  return values.flatMap(each => (isPair(each) ? readPair(each, pairs) : readText(each)) ?? [])
}

const isPair = (value: unknown): value is [number, number] =>
  Array.isArray(value) && value.length === 2 && value.every(part => typeof part === 'number')

const readPair = ([first, second]: readonly [number, number], pairs: PlaceField['pairs']) =>
  pairs === 'lat-lon' ? makePlace(first, second) : makePlace(second, first)

const readText = (value: unknown): Place | undefined => {
  if (typeof value !== 'string') return undefined
  const [, lon, lat] = /^\s*POINT\s*\(\s*(\S+)\s+(\S+)\s*\)\s*$/i.exec(value) ?? []
  const [latitude, longitude, ...more] = lat === undefined ? value.split(',') : [lat, lon]
  return more.length === 0 ? makePlace(latitude, longitude) : undefined
}

/** The places in the fields of a document, also in those of nested objects. `fields`: those of type `geo`. */
export const readPlaces = (
  { attributes }: Pick<Entity, 'attributes'>,
  fields: readonly PlaceField[],
): Place[] => {
  const places = [...findPlaces(attributes), ...fields.flatMap(field => readDeclared(attributes, field))]
  return [...new Map(places.map(place => [`${place.lat},${place.lon}`, place])).values()]
}

export const hasPlaces = (
  items: readonly { tuple: readonly Entity[] }[],
  fields: readonly PlaceField[],
): boolean => items.some(({ tuple: [entity] }) => entity && readPlaces(entity, fields).length > 0)
