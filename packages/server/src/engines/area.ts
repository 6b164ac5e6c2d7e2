/** Parts of the surface of the earth. */

/** Places within latitudes and longitudes. If `west` is greater than `east`, the box crosses the antimeridian. */
export interface Box {
  south: number
  west: number
  north: number
  east: number
}

/**
 * Each edge is the shorter arc of a great circle, and the last corner is joined to the first. Longitudes are at least -180 and less than
 * 180. A corner at a pole stands twice, with the longitudes of its neighbors; an edge of a half turn between two of them leads east. A place
 * is inside if an odd number of edges is north of it on its meridian; with `hasNorthPole`, an even number.
 */
export interface Polygon {
  corners: { lat: number; lon: number }[]
  hasNorthPole: boolean
}

export type Area = { box: Box } | { polygon: Polygon }
