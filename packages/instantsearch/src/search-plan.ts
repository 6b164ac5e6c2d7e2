/** Hits and facets of one request of InstantSearch. */
import type { AnyApi, Count, FacetOptions, QueryApi, Results, StackQuery, Statistics } from '@querent/client'
import { type HighlightedAttributes, highlightAttributes, snippetAttributes } from './highlight.ts'
import type { Plan } from './plan.ts'
import { type Bounds, planBounds } from './range-bounds.ts'
import {
  buildQuery,
  readFacetAttribute,
  readFacetFilters,
  rejectUnsupported,
  type SearchParams,
  type SearchRequest,
} from './search-request.ts'
import type { SearchClientSettings } from './settings.ts'

interface Hit {
  objectID: string
  _highlightResult: HighlightedAttributes
  _snippetResult: HighlightedAttributes
  [attribute: string]: unknown
}

/** A reply as Algolia's service gives it. */
interface SearchReply {
  index: string
  query: string
  params: string
  hits: Hit[]
  nbHits: number
  page: number
  nbPages: number
  hitsPerPage: number
  processingTimeMS: number
  exhaustiveNbHits: true
  exhaustiveFacetsCount: true
  /** Attribute → value → number of hits. */
  facets: Record<string, Record<string, number>>
  facets_stats: Record<string, Bounds>
}

/** The server's limit of `offset`. */
const offsetMax = 10_000
const optionsMax = 1000

/** Adds its part to the reply. */
type Part = Plan<(reply: SearchReply) => void>

export const planSearch = (
  api: QueryApi,
  settings: SearchClientSettings,
  request: SearchRequest,
): Plan<SearchReply> => {
  const { indexName, params = {} } = request
  rejectUnsupported(params, settings)
  const { query = '', page = 0, hitsPerPage = 20, facets = [] } = params
  const parts = [
    planHits(buildQuery(api, settings, request), settings, params),
    ...[facets].flat().map(attribute => planFacet(api, settings, request, attribute)),
  ]
  return {
    requests: parts.flatMap(({ requests }) => requests),
    read(bodies) {
      const reply: SearchReply = {
        index: indexName,
        query,
        params: '',
        hits: [],
        nbHits: 0,
        page,
        nbPages: 0,
        hitsPerPage,
        processingTimeMS: 0,
        exhaustiveNbHits: true,
        exhaustiveFacetsCount: true,
        facets: {},
        facets_stats: {},
      }
      let index = 0
      for (const { requests, read } of parts) {
        read(bodies.slice(index, index + requests.length))(reply)
        index += requests.length
      }
      return reply
    },
  }
}

const planHits = (
  query: StackQuery<AnyApi>,
  { config, geo }: SearchClientSettings,
  params: SearchParams,
): Part => {
  const { page = 0, hitsPerPage = 20, attributesToRetrieve = ['*'] } = params
  if (hitsPerPage === 0)
    return {
      requests: [query.request.count({ config })],
      read:
        ([body]) =>
        reply => {
          // The reply of `count`.
          reply.nbHits = (body as Count).total
        },
    }
  const tags = { pre: params.highlightPreTag ?? '<em>', post: params.highlightPostTag ?? '</em>' }
  return {
    requests: [
      query.request.resultsCount({
        config,
        count: hitsPerPage,
        offset: page * hitsPerPage,
        highlight: true,
        attributes: attributesToRetrieve.includes('*') ? undefined : attributesToRetrieve.join(','),
      }),
    ],
    read:
      ([body]) =>
      reply => {
        // The reply of `results,count`.
        const [{ items }, { total }] = body as [Results, Statistics]
        reply.nbHits = total
        reply.nbPages = Math.min(Math.ceil(total / hitsPerPage), Math.floor(offsetMax / hitsPerPage) + 1)
        reply.hits = items.flatMap(({ tuple, highlights = {} }) =>
          tuple.map(({ id, attributes }) => ({
            ...attributes,
            ...(geo === undefined ? {} : readPlace(attributes[geo.field])),
            objectID: id,
            _highlightResult: highlightAttributes(attributes, highlights, tags),
            _snippetResult: snippetAttributes(attributes, highlights, tags),
          })),
        )
      },
  }
}

const readPlace = (value: unknown): { _geoloc?: { lat: unknown; lng: unknown } } => {
  const [place]: unknown[] = [value].flat()
  if (typeof place !== 'object' || place === null || !('lat' in place && 'lon' in place)) return {}
  return { _geoloc: { lat: place.lat, lng: place.lon } }
}

const planFacet = (
  api: QueryApi,
  settings: SearchClientSettings,
  request: SearchRequest,
  attribute: string,
): Part => {
  const { params = {} } = request
  const { config, ranges = {}, toggles = {} } = settings
  const range = ranges[attribute]
  const toggle = toggles[attribute]
  const query = buildQuery(api, settings, request)
  if (range) return planRange(query, attribute, range, config)
  if (toggle !== undefined)
    return {
      requests: [query.refine(toggle).request.count({ config })],
      read:
        ([body]) =>
        reply => {
          // The reply of `count`.
          reply.facets[attribute] = { true: (body as Count).total }
        },
    }
  const { endpoint, level } = readFacetAttribute(attribute, settings)
  const ancestors = level === undefined ? undefined : readAncestors(params, endpoint, settings)
  if (level !== undefined && ancestors !== undefined && ancestors.length !== level)
    return {
      requests: [],
      // All results are below the selected value, and none are below another one.
      read: () => reply => {
        const ancestor = ancestors[level]
        reply.facets[attribute] = ancestor === undefined ? {} : { [ancestor]: reply.nbHits }
      },
    }
  const count = Math.min(params.maxValuesPerFacet ?? 100, optionsMax)
  return {
    requests: [query.request.options(endpoint, { config, count })],
    read:
      ([body]) =>
      reply => {
        // The reply of `options`.
        const { options } = body as FacetOptions
        reply.facets[attribute] = Object.fromEntries(options.map(option => [option.value, option.count]))
      },
  }
}

/** Returns the path of the selected value of a hierarchy: `['Holland', 'Holland > Amsterdam']`. */
const readAncestors = (params: SearchParams, endpoint: string, settings: SearchClientSettings): string[] => {
  for (const { attribute, values } of readFacetFilters(params)) {
    const { endpoint: filtered, level } = readFacetAttribute(attribute, settings)
    const [value = ''] = values
    if (filtered !== endpoint || level === undefined) continue
    // The level says how many separators there are, and InstantSearch's own is the default of the widget.
    const segments = value.split(hierarchySeparator)
    return segments.map((_, index) => segments.slice(0, index + 1).join(hierarchySeparator))
  }
  return []
}
/** The default of the widgets `hierarchicalMenu` and `breadcrumb`. */
const hierarchySeparator = ' > '

const planRange = (...range: Parameters<typeof planBounds>): Part => {
  const [, attribute] = range
  const { requests, read } = planBounds(...range)
  return {
    requests,
    read: bodies => {
      const bounds = read(bodies)
      return reply => {
        reply.facets[attribute] = {}
        if (bounds) reply.facets_stats[attribute] = bounds
      }
    },
  }
}
