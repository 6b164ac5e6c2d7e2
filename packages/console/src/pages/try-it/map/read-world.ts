/** Reads the data of the map: land and borders as paths in degrees of the projection, and cities. */
import type { Place } from '#pages/try-it/read-places.ts'
import { type Point, project } from './projection.ts'

/** Steps of positions in one degree. */
const stepsPerDegree = 50

export interface City extends Place {
  name: string
  isCapital: boolean
}

/** A line of the map. */
export interface Outline {
  path: string
  /** Corners of the rectangle around it. */
  topLeft: Point
  bottomRight: Point
}

/** Longitudes go on beyond 180 where a line crosses the date line. */
const readLine = (text: string): Place[] => {
  const numbers = (text.match(/-?\d+/g) ?? []).map(Number)
  let lon = 0
  let lat = 0
  return Array.from({ length: numbers.length / 2 }, (_, index) => {
    const step = (numbers[index * 2] ?? 0) / stepsPerDegree
    // The first step is a position.
    lon += index > 0 && Math.abs(step) > 180 ? step - Math.sign(step) * 360 : step
    lat += (numbers[index * 2 + 1] ?? 0) / stepsPerDegree
    return { lat, lon }
  })
}

/** Antarctica goes around the pole. */
const closeAroundPole = (places: Place[]): Place[] => {
  const [first, last] = [places[0], places.at(-1)]
  if (!first || !last || Math.abs(last.lon - first.lon) <= 180) return places
  return [...places, { lat: -90, lon: last.lon }, { lat: -90, lon: first.lon }]
}

/** Reads a line of `world.ts`. `isClosed`: it goes around land. */
export const readOutline = (text: string, isClosed: boolean): Outline => {
  const places = readLine(text)
  const points = (isClosed ? closeAroundPole(places) : places).map(place => project(place))
  const xs = points.map(({ x }) => x)
  const ys = points.map(({ y }) => y)
  const corners = points.map(({ x, y }) => `${x.toFixed(2)} ${y.toFixed(2)}`).join('L')
  return {
    path: `M${corners}${isClosed ? 'Z' : ''}`,
    topLeft: { x: Math.min(...xs), y: Math.min(...ys) },
    bottomRight: { x: Math.max(...xs), y: Math.max(...ys) },
  }
}

export const readCity = (text: string): City => {
  const [name = '', lat, lon, role] = text.split('|')
  return {
    name,
    lat: Number(lat) / stepsPerDegree,
    lon: Number(lon) / stepsPerDegree,
    isCapital: role === 'c',
  }
}

/** Loads the data, which no other page needs. */
export const loadWorld = async () => {
  const { land, borders, cities } = await import('./world.ts')
  return {
    land: land.map(line => readOutline(line, true)),
    borders: borders.map(line => readOutline(line, false)),
    cities: cities.map(readCity),
  }
}
export type World = Awaited<ReturnType<typeof loadWorld>>
