/**
 * Makes the data of the map of "Try it" from an npm package, which nothing else needs, and from the cities of the demo:
 *
 *     npm install --prefix /tmp/map --ignore-scripts world-atlas@2.0.2
 *     node tools/make-map-data.ts /tmp/map
 *
 * packages/console/public/map-notice.txt has their licenses.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** Steps of the positions, and how far a line may be from the exact one, in degrees. */
const unit = 0.02
const tolerance = 0.03
/** Cities of at least this population, and capitals. */
const populationMin = 100_000

type Point = readonly [x: number, y: number]
interface Polygon {
  arcs: number[][] | number[][][]
  type: 'Polygon' | 'MultiPolygon'
}
interface Topology {
  transform: { scale: [number, number]; translate: [number, number] }
  arcs: [number, number][][]
  objects: Record<'countries' | 'land', { geometries: Polygon[] }>
}

const [installed = ''] = process.argv.slice(2)
const root = join(import.meta.dirname, '..')
const mapFolder = join(root, 'packages', 'console', 'src', 'pages', 'try-it', 'map')
const source = join(resolve(installed), 'node_modules', 'world-atlas', 'countries-50m.json')
const { transform, arcs, objects } = JSON.parse(readFileSync(source, 'utf8')) as Topology

/** Longitudes and latitudes of each arc. */
const lines: Point[][] = arcs.map(arc => {
  let [x, y] = [0, 0]
  return arc.map(([dx, dy]) => {
    x += dx
    y += dy
    return [
      x * transform.scale[0] + transform.translate[0],
      y * transform.scale[1] + transform.translate[1],
    ] as const
  })
})
const listRings = ({ type, arcs: parts }: Polygon): number[][] =>
  type === 'Polygon' ? (parts as number[][]) : (parts as number[][][]).flat()

/** Leaves out the points that are near the line without them (Douglas and Peucker, 1973). */
const simplify = (line: readonly Point[]): Point[] => {
  const [first, last] = [line[0], line.at(-1)]
  if (line.length < 3 || !first || !last) return [...line]
  const [dx, dy] = [last[0] - first[0], last[1] - first[1]]
  const length = Math.hypot(dx, dy)
  const distances = line.map(([x, y]) =>
    length === 0
      ? Math.hypot(x - first[0], y - first[1])
      : Math.abs(dy * (x - first[0]) - dx * (y - first[1])) / length,
  )
  const farthest = distances.indexOf(Math.max(...distances))
  if ((distances[farthest] ?? 0) <= tolerance) return [first, last]
  return [...simplify(line.slice(0, farthest + 1)).slice(0, -1), ...simplify(line.slice(farthest))]
}
const simplified = lines.map(simplify)

/** A line in units, as differences from the point before. Undefined if less is left of it than `pointsMin`. */
const write = (line: readonly Point[], pointsMin: number): string[] => {
  const corners = line
    .map(([x, y]) => [Math.round(x / unit), Math.round(y / unit)] as const)
    .filter(([x, y], at, all) => at === 0 || x !== all[at - 1]?.[0] || y !== all[at - 1]?.[1])
  let [lastX, lastY] = [0, 0]
  const steps = corners.map(([x, y]) => {
    const step = `${x - lastX} ${y - lastY}`
    ;[lastX, lastY] = [x, y]
    return step
  })
  return steps.length < pointsMin ? [] : [steps.join(' ').replaceAll(' -', '-')]
}

const arcNumber = (arc: number): number => (arc < 0 ? ~arc : arc)
const readArc = (arc: number): Point[] => {
  const line = simplified[arcNumber(arc)] ?? []
  return arc < 0 ? line.toReversed() : line
}
const land = objects.land.geometries.flatMap(listRings).flatMap(ring => write(ring.flatMap(readArc), 4))

const uses = new Map<number, number>()
for (const arc of objects.countries.geometries.flatMap(listRings).flat())
  uses.set(arcNumber(arc), (uses.get(arcNumber(arc)) ?? 0) + 1)
/** Arcs that two countries have in common. */
const borders = [...uses].flatMap(([arc, count]) => (count > 1 ? write(readArc(arc), 2) : []))

const cities = readFileSync(join(root, 'packages', 'cli', 'cities', 'cities.tsv'), 'utf8')
  .trim()
  .split('\n')
  .map(row => row.split('\t'))
  .filter(([, , , , role, population]) => Number(population) >= populationMin || role === 'c')
  .map(([, name = '', , , role, , latitude, longitude]) => {
    const [lat, lon] = [latitude, longitude].map(degrees => Math.round(Number(degrees) / unit))
    return [name, lat, lon, ...(role === 'c' ? ['c'] : [])].join('|')
  })

const writeList = (texts: readonly string[]): string => `\`${texts.join(';')}\`.split(';')`
writeFileSync(
  join(mapFolder, 'world.ts'),
  `/**
 * Land, borders and cities of the world, made by tools/make-map-data.ts; public/map-notice.txt has their sources and licenses. A line has
 * longitudes and latitudes in fiftieths of a degree, as differences from the point before. A city has its name, latitude and longitude, and
 * \`c\` for a capital; the largest come first.
 */
export const land: readonly string[] = ${writeList(land)}
export const borders: readonly string[] = ${writeList(borders)}
export const cities: readonly string[] = ${writeList(cities)}
`,
)
