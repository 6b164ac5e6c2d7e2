/** The requests of the page of cities: a batch for the results and filters, and one for the points of the map. */
import { queryApi, queryUrl } from '@querent/client'
import { readServerMs } from '#demo/server-time.ts'
import { type CityState, facets, nearKilometers, pageSize, populations } from './state.ts'

/** The API in packages/cli/dictionary/workspace.yaml. */
const workspace = 'dictionary'
const api = 'cities-page'
const optionsShown = 8
/** As many as a reply holds. */
export const pointsMax = 1000

const cities = queryApi({ baseUrl: location.origin }, workspace, api)

const buildQuery = ({ query, selected, from, to, center, sort }: CityState, { hasRange = true } = {}) => {
  let stack = cities.query('search', { query })
  for (const facet of facets) if (selected[facet].length > 0) stack = stack.filter(facet, selected[facet])
  const last = populations.length - 1
  if (hasRange && (from > 0 || to < last))
    stack = stack.refine('population', {
      ...(from > 0 && { from: populations[from] ?? 0 }),
      ...(to < last && { to: populations[to] ?? 0 }),
    })
  if (center) {
    const place = `${center.lat},${center.lon}`
    stack = stack.refine('near', { circle: `${place},${nearKilometers}km` })
    if (sort === 'best') return stack.refine('nearest', { from: place })
  }
  return sort === 'best' ? stack : stack.refine(sort)
}

/** Runs a search. Throws the errors of the client, and `ApiError` if one of the queries fails. */
export const runSearch = async (state: CityState, signal: AbortSignal) => {
  const { request } = buildQuery(state)
  const everySize = buildQuery(state, { hasRange: false })
  let headers = new Headers()
  const onHeaders = (received: Headers) => {
    headers = received
  }
  const [results, sizes, ...lists] = await queryApi(
    { baseUrl: location.origin, onHeaders },
    workspace,
    api,
  ).batch(
    [
      request.resultsCount({ count: pageSize, offset: (state.page - 1) * pageSize, highlight: true }),
      everySize.request.options('size', { count: populations.length }),
      ...facets.map(facet => request.options(facet, { count: optionsShown, multiselect: true })),
    ],
    { signal },
  )
  for (const outcome of [results, sizes, ...lists]) if (!outcome.ok) throw outcome.error
  if (!results.ok || !sizes.ok) throw new Error('unreachable')
  const [{ items, didYouMean }, { total }] = results.body
  return {
    /** As the service sends it. */
    body: results.body,
    items,
    didYouMean,
    total,
    /** Cities between two steps of the range. */
    sizes: sizes.body.options.map(({ count }) => count),
    facets: lists.flatMap(outcome => (outcome.ok ? [outcome.body] : [])),
    /** Time in the server. The network and the browser add theirs. */
    serverMs: readServerMs(headers),
  }
}
export type CityReply = Awaited<ReturnType<typeof runSearch>>

export interface Point {
  name: string
  population: number
  lat: number
  lon: number
}

/** Returns the places of the first results, in their order. */
export const findPoints = async (state: CityState, signal: AbortSignal): Promise<Point[]> => {
  const page = await buildQuery(state).results({
    count: pointsMax,
    attributes: 'name,population,at',
    signal,
  })
  return page.items.map(({ tuple: [city] }) => readPoint(city?.attributes ?? {}))
}

/** The attributes come from the documents of the demo, which all have these. */
export const readPoint = ({ name, population, at }: Record<string, unknown>): Point => {
  const { lat, lon } = Object(at)
  return { name: String(name), population: Number(population), lat: Number(lat), lon: Number(lon) }
}

/** Returns the address of the results alone, for people to open and copy. */
export const resultsUrl = (state: CityState): string =>
  queryUrl(
    location.origin,
    workspace,
    api,
    { kind: 'query', type: 'results', stack: [...buildQuery(state).stack] },
    { offset: (state.page - 1) * pageSize, count: pageSize },
  )
