/** Corners and arcs of great circles on the unit sphere. */
import type { Point } from './geo-value.ts'

type Vector = readonly [x: number, y: number, z: number]

/** A place with its vector. Its longitude is at least -180 and less than 180, at a pole 0. */
export interface Corner extends Point {
  vector: Vector
}

/** Angles in radians that count as none: some micrometers on the earth. */
const tolerance = 1e-12
/** An arc that is almost a half circle has no certain direction. */
const oppositeTolerance = 1e-9

export const makeCorner = (lat: number, lon: number): Corner => {
  const longitude = Math.abs(lat) === 90 ? 0 : lon === 180 ? -180 : lon
  const [up, round] = [(lat * Math.PI) / 180, (longitude * Math.PI) / 180]
  const vector = [Math.cos(up) * Math.cos(round), Math.cos(up) * Math.sin(round), Math.sin(up)] as const
  return { lat, lon: longitude, vector }
}

const dot = (a: Vector, b: Vector): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
const cross = (a: Vector, b: Vector): Vector => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
]
const length = (a: Vector): number => Math.hypot(a[0], a[1], a[2])

/** Whether the corners are opposite places of the earth, so that every direction is as short. */
export const isOppositeEdge = (a: Corner, b: Corner): boolean =>
  dot(a.vector, b.vector) < 0 && length(cross(a.vector, b.vector)) < oppositeTolerance

interface Arc {
  index: number
  from: Vector
  to: Vector
  normal: Vector
  /** The part of the axis of the earth that it may reach. */
  low: number
  high: number
}

const makeArc = (index: number, { vector: from }: Corner, { vector: to }: Corner): Arc => {
  const normal = cross(from, to)
  const middle: Vector = [from[0] + to[0], from[1] + to[1], from[2] + to[2]]
  const size = length(middle)
  const center = middle[2] / size
  const radius = Math.sqrt(Math.max(0, 2 - size)) + tolerance
  return { index, from, to, normal, low: center - radius, high: center + radius }
}

/** Returns the indexes of two edges that cross or touch anywhere but at a common corner; undefined if there are none. */
export const findCrossing = (corners: readonly Corner[]): [number, number] | undefined => {
  const arcs = corners.map((corner, index) =>
    makeArc(index, corner, corners[(index + 1) % corners.length] as Corner),
  )
  const sorted = arcs.toSorted((a, b) => a.low - b.low)
  for (const [place, arc] of sorted.entries())
    for (let following = place + 1; following < sorted.length; following++) {
      const candidate = sorted[following] as Arc
      if (candidate.low > arc.high) break
      if (meets(arc, candidate, corners.length))
        return [arc.index, candidate.index].sort((a, b) => a - b) as [number, number]
    }
  return undefined
}

const meets = (a: Arc, b: Arc, edges: number): boolean => {
  if ((a.index + 1) % edges === b.index) return holds(a, b.to) || holds(b, a.from)
  if ((b.index + 1) % edges === a.index) return holds(b, a.to) || holds(a, b.from)
  return crosses(a, b) || holds(a, b.from) || holds(a, b.to) || holds(b, a.from) || holds(b, a.to)
}

/** Whether the arcs have a point in common that is no end: each separates the ends of the other, on the same side of the sphere. */
const crosses = (a: Arc, b: Arc): boolean => {
  const startSide = -dot(a.normal, b.from)
  const endSide = dot(a.normal, b.to)
  return (
    startSide * endSide > 0 && startSide * -dot(b.normal, a.to) > 0 && startSide * dot(b.normal, a.from) > 0
  )
}

/** Whether the place is on the arc. */
const holds = ({ from, to, normal }: Arc, place: Vector): boolean =>
  Math.abs(dot(normal, place)) <= tolerance * length(normal) &&
  dot(cross(normal, from), place) >= -tolerance &&
  dot(cross(normal, to), place) <= tolerance
