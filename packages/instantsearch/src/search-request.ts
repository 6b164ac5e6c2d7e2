/** Requests of the widgets of InstantSearch, and the stack of endpoints that answers them. */
import type { AnyApi, QueryApi, StackQuery } from '@querent/client'
import type { SearchClientSettings } from './settings.ts'

/** Parameters that the search client reads (https://www.algolia.com/doc/api-reference/search-api-parameters). It ignores others. */
export interface SearchParams {
  query?: string
  page?: number
  hitsPerPage?: number
  facets?: string | readonly string[]
  /** The outer list is a conjunction, inner lists are disjunctions: `[['artist:Vermeer', 'artist:Potter'], 'inPrint:true']`. */
  facetFilters?: readonly (string | readonly string[])[]
  numericFilters?: readonly (string | readonly string[])[]
  maxValuesPerFacet?: number
  attributesToRetrieve?: readonly string[]
  highlightPreTag?: string
  highlightPostTag?: string
  /** `lat,lng`. */
  aroundLatLng?: string
  /** Meters, or `all`. */
  aroundRadius?: number | 'all'
  /** A corner and the opposite one, as a list of one box or as text: latitude and longitude of each. */
  insideBoundingBox?: Coordinates
  /** Latitude and longitude of each corner in turn. */
  insidePolygon?: Coordinates
  facetName?: string
  facetQuery?: string
  maxFacetHits?: number
}

type Coordinates = string | readonly number[] | readonly (readonly number[])[]

export interface SearchRequest {
  indexName: string
  params?: SearchParams
}

/** A facet, or one level of a hierarchy. */
export interface FacetAttribute {
  endpoint: string
  /** From 0, for `region.lvl0`. */
  level: number | undefined
}

/** Parameters that would change the results, and that no endpoint can answer. */
const unsupported = ['filters', 'tagFilters', 'optionalFilters'] as const
/** Parameters that need `geo.area`. */
const areaParameters = ['insideBoundingBox', 'insidePolygon'] as const

const unsupportedError = (what: string): Error =>
  new Error(`@querent/instantsearch does not support ${what}: see docs/instantsearch.md`)

export const rejectUnsupported = (params: object, { geo }: SearchClientSettings): void => {
  const names = geo?.area === undefined ? [...unsupported, ...areaParameters] : unsupported
  const name = names.find(key => {
    const value: unknown = Object.entries(params).find(([present]) => present === key)?.[1]
    return value !== undefined && value !== ''
  })
  if (name !== undefined) throw unsupportedError(`the parameter ${name}`)
}

export const readFacetAttribute = (
  attribute: string,
  { facets = {} }: Pick<SearchClientSettings, 'facets'>,
): FacetAttribute => {
  const [, base, level] = /^(.+)\.lvl(\d+)$/.exec(attribute) ?? []
  if (base === undefined) return { endpoint: facets[attribute] ?? attribute, level: undefined }
  return { endpoint: facets[base] ?? base, level: Number(level) }
}

/** One part of `facetFilters`: one attribute, whose values are alternatives. */
export interface FacetFilter {
  attribute: string
  values: string[]
}

export const readFacetFilters = ({ facetFilters = [] }: SearchParams): FacetFilter[] =>
  facetFilters.map(alternatives => {
    const pairs = [alternatives].flat().map(readFacetFilter)
    const [attribute = ''] = pairs.map(pair => pair.attribute)
    if (pairs.some(pair => pair.attribute !== attribute))
      throw unsupportedError('alternatives of several attributes in facetFilters')
    return { attribute, values: pairs.map(({ value }) => value) }
  })

const readFacetFilter = (filter: string) => {
  const colon = filter.indexOf(':')
  const [attribute, text] = [filter.slice(0, colon), filter.slice(colon + 1)]
  if (text.startsWith('-')) throw unsupportedError('excluded facet values')
  // InstantSearch escapes a value that starts with a minus.
  return { attribute, value: text.replace(/^\\-/, '-') }
}

interface Bounds {
  from?: number
  to?: number
}

/** Attribute → its bounds, both inclusive. */
const readNumericFilters = ({ numericFilters = [] }: SearchParams): Map<string, Bounds> => {
  const ranges = new Map<string, Bounds>()
  for (const filter of numericFilters.flatMap(readAlternatives)) {
    const [, attribute = '', operator, number] = /^(.+?)(>=|<=|=)(-?[\d.]+)$/.exec(filter) ?? []
    if (operator === undefined) throw unsupportedError(`the numeric filter ${filter}`)
    const bounds = ranges.get(attribute) ?? {}
    if (operator !== '<=') bounds.from = Math.max(bounds.from ?? Number.NEGATIVE_INFINITY, Number(number))
    if (operator !== '>=') bounds.to = Math.min(bounds.to ?? Number.POSITIVE_INFINITY, Number(number))
    ranges.set(attribute, bounds)
  }
  return ranges
}

/** A list of one filter is that filter. */
const readAlternatives = (filter: string | readonly string[]): readonly string[] => {
  if (typeof filter === 'string') return [filter]
  if (filter.length > 1) throw unsupportedError('alternatives in numericFilters')
  return filter
}

/** Returns the numbers of one box or polygon; undefined if there is none. */
const readCoordinates = (coordinates: Coordinates | undefined, name: string): number[] | undefined => {
  if (coordinates === undefined || coordinates.length === 0) return undefined
  if (typeof coordinates === 'string') return coordinates.split(',').map(Number)
  const [first] = coordinates
  if (Array.isArray(first) && coordinates.length > 1) throw unsupportedError(`several areas in ${name}`)
  return coordinates.flat()
}

/** A northern corner that comes first is the northeast one, as InstantSearch writes it. */
const readBox = (coordinates: readonly number[]): string => {
  const [lat = 0, lon = 0, otherLat = 0, otherLon = 0] = coordinates
  return lat > otherLat ? [otherLat, otherLon, lat, lon].join(',') : [lat, lon, otherLat, otherLon].join(',')
}

/** Builds the query of a request: text, filters, ranges, place, and the sort of its index. `filters` replaces its facet filters. */
export const buildQuery = (
  api: QueryApi,
  settings: SearchClientSettings,
  { indexName, params = {} }: SearchRequest,
  filters: readonly FacetFilter[] = readFacetFilters(params),
): StackQuery<AnyApi> => {
  const { search = 'search', parameter = 'query', ranges = {}, toggles = {}, sorts = {}, geo } = settings
  let query = api.query(search, { [parameter]: params.query ?? '' })
  for (const { attribute, values } of filters) {
    const toggle = toggles[attribute]
    if (toggle === undefined) query = query.filter(readFacetAttribute(attribute, settings).endpoint, values)
    // The widget also filters by the value that it has when it is off.
    else if (values.includes('true')) query = query.refine(toggle)
  }
  for (const [attribute, { from, to }] of readNumericFilters(params)) {
    const range = ranges[attribute]
    const write = range?.dates ? writeDate : String
    query = query.refine(range?.endpoint ?? attribute, {
      ...(from === undefined ? {} : { from: write(from) }),
      ...(to === undefined ? {} : { to: write(to) }),
    })
  }
  query = refinePlace(query, geo, params)
  const sort = sorts[indexName]
  if (sort !== undefined) return query.refine(sort)
  const { aroundLatLng } = params
  if (aroundLatLng !== undefined && geo?.nearest !== undefined)
    return query.refine(geo.nearest, { from: aroundLatLng.replaceAll(' ', '') })
  return query
}

/** A bound beyond all dates is the first or the last one that the server takes. */
const writeDate = (milliseconds: number): string =>
  new Date(Math.min(Math.max(milliseconds, firstDate), lastDate)).toISOString()
const firstDate = Date.parse('0000-01-01T00:00:00Z')
const lastDate = Date.parse('9999-12-31T23:59:59.999Z')

/** Keeps what is within a circle, a box or a polygon. */
const refinePlace = (
  query: StackQuery<AnyApi>,
  geo: SearchClientSettings['geo'],
  params: NonNullable<SearchRequest['params']>,
): StackQuery<AnyApi> => {
  let refined = query
  const { aroundLatLng, aroundRadius } = params
  if (aroundLatLng !== undefined && geo?.within !== undefined && typeof aroundRadius === 'number')
    refined = refined.refine(geo.within, { value: `${aroundLatLng.replaceAll(' ', '')},${aroundRadius}m` })
  const box = readCoordinates(params.insideBoundingBox, 'insideBoundingBox')
  if (box && geo?.area !== undefined) refined = refined.refine(geo.area, { box: readBox(box) })
  const polygon = readCoordinates(params.insidePolygon, 'insidePolygon')
  if (polygon && geo?.area !== undefined) refined = refined.refine(geo.area, { polygon: polygon.join(',') })
  return refined
}
