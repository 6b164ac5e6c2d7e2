/** Search in the values of a facet, for widgets with `searchable`. */
import type { FacetOptions, QueryApi } from '@querent/client'
import { highlightFacetValue } from './highlight.ts'
import type { Plan } from './plan.ts'
import { buildQuery, readFacetAttribute, rejectUnsupported, type SearchRequest } from './search-request.ts'
import type { SearchClientSettings } from './settings.ts'

interface FacetHits {
  facetHits: { value: string; highlighted: string; count: number }[]
  exhaustiveFacetsCount: true
  processingTimeMS: number
}

export const planFacetSearch = (
  api: QueryApi,
  settings: SearchClientSettings,
  request: SearchRequest,
): Plan<FacetHits> => {
  const { params = {} } = request
  rejectUnsupported(params, settings)
  const { facetName = '', facetQuery = '', maxFacetHits = 10 } = params
  const { highlightPreTag: pre = '<em>', highlightPostTag: post = '</em>' } = params
  const { endpoint } = readFacetAttribute(facetName, settings)
  return {
    requests: [
      buildQuery(api, settings, request).request.options(endpoint, {
        config: settings.config,
        query: facetQuery,
        count: maxFacetHits,
      }),
    ],
    read([body]) {
      // The reply of the only request.
      const { options } = body as FacetOptions
      return {
        facetHits: options.map(({ value, count }) => ({
          value,
          highlighted: highlightFacetValue(value, facetQuery, { pre, post }),
          count,
        })),
        exhaustiveFacetsCount: true,
        processingTimeMS: 0,
      }
    },
  }
}
