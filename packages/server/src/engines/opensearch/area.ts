/** Areas → a clause that keeps the documents with a place inside: a box on the index, and a script that tests each place exactly. */
import type { Box, PlanNode, Polygon } from '#engines/engine'
import { geoField } from './conditions.ts'
import { column, type Schema } from './schema.ts'
import type { Clause } from './values.ts'

/** The index stores places to about a centimeter. This widens the box on the index. */
const marginDegrees = 1e-5
/** Places this close to an edge are on it: 6 mm, more than the rounding of vectors. */
const edgeRadians = 1e-9
/** Numbers of edges in all cells of a polygon. A polygon whose edges overlap more has wider cells. */
const cellEdgesMax = 20_000

export function areaClause(
  schema: Schema,
  { field: name, area }: Extract<PlanNode, { kind: 'area' }>,
): Clause {
  const field = geoField(schema, name)
  const { bounds, source, params } = 'box' in area ? boxTest(area.box) : polygonTest(area.polygon)
  return {
    bool: {
      filter: [
        boundsClause(field.column, column.places(field), bounds),
        { script: { script: { source, params: { places: column.places(field), ...params } } } },
      ],
    },
  }
}

interface Bounds {
  south: number
  north: number
  /** Undefined for all longitudes. */
  longitudes: { west: number; east: number } | undefined
}

interface AreaTest {
  bounds: Bounds
  source: string
  params: Record<string, unknown>
}

const boundsClause = (place: string, places: string, { south, north, longitudes }: Bounds): Clause => {
  const [bottom, top] = [Math.max(-90, south - marginDegrees), Math.min(90, north + marginDegrees)]
  const box = (left: number, right: number): Clause => ({
    geo_bounding_box: { [place]: { top, left, bottom, right } },
  })
  if (bottom === -90 && top === 90 && longitudes === undefined) return { exists: { field: places } }
  // At a pole a place may have any longitude, and 180 and -180 are the same.
  if (bottom === -90 || top === 90 || longitudes === undefined) return box(-180, 180)
  const westEdge = Math.max(-180, longitudes.west - marginDegrees)
  const eastEdge = Math.min(180, longitudes.east + marginDegrees)
  const parts =
    longitudes.west > longitudes.east
      ? [box(-180, eastEdge), box(westEdge, 180)]
      : westEdge === -180 || eastEdge === 180
        ? [box(westEdge, eastEdge), box(-180, marginDegrees - 180), box(180 - marginDegrees, 180)]
        : [box(westEdge, eastEdge)]
  return { bool: { should: parts } }
}

const readPlaces = (test: string): string => `
  for (String place : doc[params.places]) {
    int space = place.indexOf(' ');
    double lat = Double.parseDouble(place.substring(0, space));
    double lon = Double.parseDouble(place.substring(space + 1));
    ${test}
  }
  return false;`

const boxTest = ({ south, west, north, east }: Box): AreaTest => ({
  bounds: { south, north, longitudes: { west, east } },
  source: `
    boolean between(double lon, double west, double east) {
      return west <= east ? west <= lon && lon <= east : lon >= west || lon <= east;
    }
    ${readPlaces(`
    if (lat >= params.south && lat <= params.north) {
      if (Math.abs(lat) == 90.0 || between(lon, params.west, params.east)) { return true; }
      if (Math.abs(lon) == 180.0 && between(-lon, params.west, params.east)) { return true; }
    }`)}`,
  params: { south, west, north, east },
})

type Vector = [x: number, y: number, z: number]

/** An edge between two meridians, over the antimeridian if `west` is greater than `east`. */
interface Edge {
  west: number
  east: number
  /** The unit vector at right angles to its plane, on the north side; undefined along the north pole. */
  north: Vector | undefined
}

type Point = Polygon['corners'][number]

const vector = ({ lat, lon }: Point): Vector => {
  const [up, round] = [(lat * Math.PI) / 180, (lon * Math.PI) / 180]
  return [Math.cos(up) * Math.cos(round), Math.cos(up) * Math.sin(round), Math.sin(up)]
}

const isBetween = (lon: number, { west, east }: { west: number; east: number }): boolean =>
  west <= east ? west <= lon && lon <= east : lon >= west || lon <= east

const normal = (west: Point, east: Point): Vector => {
  const [a, b] = [vector(west), vector(east)]
  const cross: Vector = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
  const length = Math.hypot(...cross)
  return [cross[0] / length, cross[1] / length, cross[2] / length]
}

const readEdges = ({ corners }: Polygon) => {
  const edges: Edge[] = []
  const meridianEdges: [lon: number, south: number, north: number][] = []
  for (const [index, from] of corners.entries()) {
    const following = corners[(index + 1) % corners.length] ?? from
    const difference = following.lon - from.lon
    if (difference === 0) {
      meridianEdges.push([from.lon, Math.min(from.lat, following.lat), Math.max(from.lat, following.lat)])
      continue
    }
    // No place is south of an edge at the south pole.
    if (from.lat === -90 && following.lat === -90) continue
    const leadsEast = (difference > 0 && difference <= 180) || difference <= -180
    const [west, east] = leadsEast ? [from, following] : [following, from]
    const isAtPole = from.lat === 90 && following.lat === 90
    edges.push({ west: west.lon, east: east.lon, north: isAtPole ? undefined : normal(west, east) })
  }
  return { edges, meridianEdges }
}

const polygonTest = (polygon: Polygon): AreaTest => {
  const { edges, meridianEdges } = readEdges(polygon)
  const starts = [...new Set(polygon.corners.map(({ lon }) => lon))].sort((a, b) => a - b)
  const [southCorner, northCorner] = [-90, 90].map(pole => polygon.corners.some(({ lat }) => lat === pole))
  const last = starts.at(-1) ?? 0
  const edgesAtLast = edges.filter(edge => last !== edge.east && isBetween(last, edge)).length
  const hasSouthPole = southCorner || (edgesAtLast % 2 === 1) !== polygon.hasNorthPole
  const cells = makeCells(edges, starts)
  return {
    bounds: polygonBounds(polygon, edges, starts, hasSouthPole),
    source: polygonSource,
    params: {
      north: polygon.hasNorthPole || northCorner,
      south: hasSouthPole,
      odd: !polygon.hasNorthPole,
      starts: cells.map(({ start }) => start),
      cells: cells.map(({ indexes }) => indexes),
      edges: edges.map(({ west, east, north }) => [west, east, ...(north ?? [])]),
      meridians: meridianEdges,
      near: edgeRadians,
    },
  }
}

/** Divides the longitudes into cells, each with the edges there. Before the first cell is the last one. */
const makeCells = (edges: readonly Edge[], starts: readonly number[]) => {
  for (let step = 1; ; step *= 2) {
    const cellStarts = starts.filter((_, index) => index % step === 0)
    const cells = cellStarts.map((start, index) => {
      const range = { west: start, east: cellStarts[(index + 1) % cellStarts.length] ?? start }
      const isWhole = cellStarts.length === 1
      // Both ends belong to the cell, because an edge may end there.
      const indexes = [...edges.keys()].filter(at => {
        const edge = edges[at]
        return edge && (isWhole || isBetween(start, edge) || isBetween(edge.west, range))
      })
      return { start, indexes }
    })
    if (
      cellStarts.length === 1 ||
      cells.reduce((sum, { indexes }) => sum + indexes.length, 0) <= cellEdgesMax
    )
      return cells
  }
}

const polygonBounds = (
  { corners, hasNorthPole }: Polygon,
  edges: readonly Edge[],
  starts: readonly number[],
  hasSouthPole: boolean,
): Bounds => {
  const latitudes = corners.map(({ lat }) => lat)
  for (const edge of edges) {
    if (edge.north === undefined) continue
    const [x, y, z] = edge.north
    // The most northern and the most southern place of the great circle, if the edge has them.
    const reach = (Math.acos(Math.min(1, z)) * 180) / Math.PI
    if (isBetween((Math.atan2(-y, -x) * 180) / Math.PI, edge)) latitudes.push(reach)
    if (isBetween((Math.atan2(y, x) * 180) / Math.PI, edge)) latitudes.push(-reach)
  }
  return {
    south: hasSouthPole ? -90 : latitudes.reduce((least, lat) => Math.min(least, lat)),
    north: hasNorthPole ? 90 : latitudes.reduce((most, lat) => Math.max(most, lat)),
    longitudes: hasNorthPole || hasSouthPole ? undefined : widestGap(edges, starts),
  }
}

/** The longitudes outside of the widest gap between the edges; undefined if there is no gap. */
const widestGap = (edges: readonly Edge[], starts: readonly number[]) => {
  let widest: { width: number; west: number; east: number } | undefined
  for (const [index, east] of starts.entries()) {
    const west = starts[(index + 1) % starts.length] ?? east
    const width = west > east ? west - east : west - east + 360
    const isGap = edges.every(edge => east === edge.east || !isBetween(east, edge))
    if (isGap && width > (widest?.width ?? 0)) widest = { width, west, east }
  }
  return widest
}

const polygonSource = `
  boolean inside(double lat, double lon, Map params) {
    if (lat == 90.0) { return params.north; }
    if (lat == -90.0) { return params.south; }
    if (lon == 180.0) { lon = -180.0; }
    double up = Math.toRadians(lat);
    double round = Math.toRadians(lon);
    double x = Math.cos(up) * Math.cos(round);
    double y = Math.cos(up) * Math.sin(round);
    double z = Math.sin(up);
    for (List meridian : params.meridians) {
      double at = ((Number)meridian[0]).doubleValue();
      double from = ((Number)meridian[1]).doubleValue();
      double to = ((Number)meridian[2]).doubleValue();
      if (lon == at && lat >= from && lat <= to) { return true; }
    }
    List starts = params.starts;
    int low = 0;
    int high = starts.size();
    while (low < high) {
      int middle = (low + high) / 2;
      if (((Number)starts[middle]).doubleValue() <= lon) { low = middle + 1; } else { high = middle; }
    }
    List cell = params.cells[low == 0 ? starts.size() - 1 : low - 1];
    boolean inside = !params.odd;
    for (int at = 0; at < cell.size(); at++) {
      List edge = params.edges[((Number)cell[at]).intValue()];
      double west = ((Number)edge[0]).doubleValue();
      double east = ((Number)edge[1]).doubleValue();
      if (west <= east ? lon < west || lon > east : lon < west && lon > east) { continue; }
      boolean ends = lon == east;
      if (edge.size() == 2) { if (!ends) { inside = !inside; } continue; }
      double height = x * ((Number)edge[2]).doubleValue() + y * ((Number)edge[3]).doubleValue() + z * ((Number)edge[4]).doubleValue();
      if (Math.abs(height) <= params.near) { return true; }
      if (!ends && height < 0) { inside = !inside; }
    }
    return inside;
  }
  ${readPlaces('if (inside(lat, lon, params)) { return true; }')}`
