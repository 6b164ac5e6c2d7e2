/** Reads areas of the surface of the earth: boxes, and polygons whose edges are great circles (query-service.md, area). */
import { describeFault, describeNotAllowed, type FaultText } from './fault-texts.ts'
import type { Point } from './geo-value.ts'
import { type Corner, findCrossing, isOppositeEdge, makeCorner } from './great-circle.ts'
import { workspaceLimits } from './workspace-limits.ts'

/** If `west` is greater than `east`, the box crosses the antimeridian. */
export interface Box {
  south: number
  west: number
  north: number
  east: number
}

/**
 * Each edge is the shorter arc of a great circle, and the last corner is joined to the first. Longitudes are at least -180 and less than
 * 180. A corner at a pole stands twice, with the longitudes of its neighbors. A place is inside if an odd number of edges is north of it on
 * its meridian; with `hasNorthPole`, an even number.
 */
export interface Polygon {
  corners: Point[]
  hasNorthPole: boolean
}

export type Area = { box: Box } | { polygon: Polygon }

const { cornersMin, cornersMax } = workspaceLimits
const numberPattern = /^[+-]?[0-9]{1,20}(?:\.[0-9]{0,40})?$/

/** Parses decimal numbers separated by commas, without white space; undefined for other texts. */
export const readDegrees = (text: string): number[] | undefined => {
  const parts = text.split(',', 2 * cornersMax + 3)
  return parts.every(part => numberPattern.test(part)) ? parts.map(Number) : undefined
}

/** Makes a box of south, west, north and east; undefined if they are not a box. */
export const makeBox = (degrees: readonly number[]): Box | undefined => {
  const [south, west, north, east] = degrees
  if (degrees.length !== 4) return undefined
  if (south === undefined || west === undefined || north === undefined || east === undefined) return undefined
  const isBox = south <= north && [south, north].every(isLatitude) && [west, east].every(isLongitude)
  return isBox ? { south, west, north, east } : undefined
}

/** Makes a polygon of latitudes and longitudes in turn. Returns what is wrong if they are not a polygon; `found` describes them. */
export const makePolygon = (
  degrees: readonly number[],
  found: string,
): { polygon: Polygon } | { fault: FaultText } => {
  const corners = distinctCorners(degrees)
  if (corners === undefined || corners.length < cornersMin || corners.length > cornersMax)
    return { fault: describeNotAllowed(found, { code: 'polygon' }) }
  const opposite = corners.findIndex((corner, index) => isOppositeEdge(corner, next(corners, index)))
  if (opposite >= 0)
    return {
      fault: describeFault('opposite-corners', {
        first: cornerText(corners[opposite]),
        second: cornerText(next(corners, opposite)),
      }),
    }
  const crossing = findCrossing(corners)
  if (crossing)
    return {
      fault: describeFault('crossing-edges', {
        first: edgeText(corners, crossing[0]),
        second: edgeText(corners, crossing[1]),
      }),
    }
  return { polygon: unrollPolygon(corners) }
}

const isLatitude = (degrees: number): boolean => Math.abs(degrees) <= 90
const isLongitude = (degrees: number): boolean => Math.abs(degrees) <= 180
const next = <T>(list: readonly T[], index: number): T => list[(index + 1) % list.length] as T
const cornerText = (corner: Point | undefined): string => (corner ? `${corner.lat},${corner.lon}` : '')
const edgeText = (corners: readonly Corner[], index: number): string =>
  `${cornerText(corners[index])} to ${cornerText(next(corners, index))}`

/** Leaves out a corner that equals the one before it, so a polygon may also be closed by its first corner. */
const distinctCorners = (degrees: readonly number[]): Corner[] | undefined => {
  if (degrees.length % 2 !== 0) return undefined
  const corners: Corner[] = []
  for (let index = 0; index < degrees.length; index += 2) {
    const [lat = 0, lon = 0] = degrees.slice(index, index + 2)
    if (!isLatitude(lat) || !isLongitude(lon)) return undefined
    const corner = makeCorner(lat, lon)
    if (!isSame(corner, corners.at(-1))) corners.push(corner)
  }
  if (corners.length > 1 && isSame(corners.at(-1) as Corner, corners[0])) corners.pop()
  return corners
}

const isSame = (corner: Point, other: Point | undefined): boolean =>
  corner.lat === other?.lat && corner.lon === other.lon

const isPole = ({ lat }: Point): boolean => Math.abs(lat) === 90

/** An edge to the opposite meridian leads over a pole. */
const polesBetween = (corner: Corner, following: Corner): Point[] =>
  !isPole(corner) && !isPole(following) && Math.abs(corner.lon - following.lon) === 180
    ? [{ lat: corner.lat + following.lat > 0 ? 90 : -90, lon: 0 }]
    : []

/** The difference of two longitudes, more than -180 and at most 180. */
const turn = (from: number, to: number): number => {
  const difference = to - from
  return difference > 180 ? difference - 360 : difference <= -180 ? difference + 360 : difference
}

const unrollPolygon = (corners: readonly Corner[]): Polygon => {
  const withPoles = corners.flatMap((corner, index): Point[] => [
    { lat: corner.lat, lon: corner.lon },
    ...polesBetween(corner, next(corners, index)),
  ])
  const unrolled = withPoles.flatMap((corner, index): Point[] =>
    isPole(corner)
      ? [
          { lat: corner.lat, lon: withPoles.at(index - 1)?.lon ?? 0 },
          { lat: corner.lat, lon: next(withPoles, index).lon },
        ]
      : [corner],
  )
  let turned = 0
  let aboveEquator = 0
  for (const [index, corner] of unrolled.entries()) {
    const following = next(unrolled, index)
    const angle = turn(corner.lon, following.lon)
    turned += angle
    aboveEquator += areaAboveEquator(corner.lat, following.lat, angle)
  }
  // A polygon around the poles has one of them on each side: the smaller side is inside. Any other polygon has no pole inside.
  const direction = Math.round(turned / 360)
  return { corners: unrolled, hasNorthPole: direction !== 0 && aboveEquator * direction > 0 }
}

/** The area between an edge and the equator in steradians: half the tangents of the latitudes give the spherical excess. */
const areaAboveEquator = (lat: number, otherLat: number, angle: number): number => {
  const half = (degrees: number) => Math.tan((degrees * Math.PI) / 360)
  return 2 * Math.atan((half(angle) * (half(lat) + half(otherLat))) / (1 + half(lat) * half(otherLat)))
}
