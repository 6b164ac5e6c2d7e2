/** Reads points and circles in URLs and workspace files: decimal degrees of WGS84, without white space. */
import { requirementTexts } from './fault-texts.ts'

export interface Point {
  /** -90 to 90. */
  lat: number
  /** -180 to 180. */
  lon: number
}

export interface Circle extends Point {
  meters: number
}

const geometryTypes = 'Point|LineString|Polygon|MultiPoint|MultiLineString|MultiPolygon|GeometryCollection'
const geometryName = new RegExp(`^(?:${geometryTypes})$`)
const wktGeometry = new RegExp(`^\\s*(?:${geometryTypes})\\s*[ZM]{0,2}\\s*\\(`, 'i')

/** Whether the value is a geometry of GeoJSON (RFC 7946, section 3.1) or WKT: a point, or a line or area, which is no place. */
export const isGeometry = (value: unknown): boolean => {
  if (typeof value === 'string') return wktGeometry.test(value)
  const { type, coordinates, geometries } = Object(value)
  return (
    typeof type === 'string' &&
    geometryName.test(type) &&
    (Array.isArray(coordinates) || Array.isArray(geometries))
  )
}

/** Whether lists of two numbers under this name begin with the latitude, such as `latlng`. */
export const isLatitudeFirst = (name: string): boolean => /lat.*l(o|n)/i.test(name)

/** Descriptions of the allowed forms, for messages. */
export const pointForm =
  'a latitude from -90 to 90 and a longitude from -180 to 180, separated by a comma, such as 52.37,4.89'
export const circleForm = requirementTexts.circle

const decimal = '[0-9]{1,20}(?:\\.[0-9]{0,40})?'
const pointPattern = new RegExp(`^([+-]?${decimal}),([+-]?${decimal})$`)
const distancePattern = new RegExp(`^(${decimal})(m|km|mi)?$`)
const circlePattern = /^([^,]*,[^,]*),([^,]*)$/
const metersPerUnit: Readonly<Record<string, number>> = { m: 1, km: 1000, mi: 1609.344 }

/** Parses `lat,lon`; undefined if the text is not a point. */
export const readPoint = (text: string): Point | undefined => {
  const [, latitude, longitude] = pointPattern.exec(text) ?? []
  if (latitude === undefined || longitude === undefined) return undefined
  const [lat, lon] = [Number(latitude), Number(longitude)]
  return Math.abs(lat) <= 90 && Math.abs(lon) <= 180 ? { lat, lon } : undefined
}

/** Parses a distance such as `5km` to meters; undefined if the text is not a distance. */
export const readDistance = (text: string): number | undefined => {
  const [, distance, unit = 'm'] = distancePattern.exec(text) ?? []
  return distance === undefined ? undefined : Number(distance) * (metersPerUnit[unit] ?? 1)
}

/** Parses `lat,lon,distance`; undefined if the text is not a circle. */
export const readCircle = (text: string): Circle | undefined => {
  const [, place = '', distance = ''] = circlePattern.exec(text) ?? []
  const point = readPoint(place)
  const meters = readDistance(distance)
  return point && meters !== undefined ? { ...point, meters } : undefined
}
