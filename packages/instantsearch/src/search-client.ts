/**
 * A search client for InstantSearch.js, React InstantSearch and Vue InstantSearch (docs/instantsearch.md). The widgets send a list of requests for
 * each search. All of them become one `batch`.
 */
import { type BatchOutcome, queryApi } from '@querent/client'
import { planFacetSearch } from './facet-search.ts'
import type { Plan } from './plan.ts'
import { planSearch } from './search-plan.ts'
import type { SearchRequest } from './search-request.ts'
import type { SearchClientSettings } from './settings.ts'

export type { GeoSettings, RangeSettings, SearchClientSettings } from './settings.ts'

/**
 * The `searchClient` of InstantSearch. Each version of InstantSearch has its own types of requests and results, those of the client of Algolia's service.
 * `never` fits all of them.
 */
export interface InstantSearchClient {
  search(requests: readonly object[]): Promise<{ results: never[] }>
  searchForFacetValues(requests: readonly object[]): Promise<never[]>
}

const batchMax = 20

/**
 * Creates the `searchClient` of InstantSearch. Searches throw the errors of `@querent/client`, which InstantSearch passes to its event `error`, and an
 * `Error` for a parameter that no endpoint can answer.
 */
export const createSearchClient = (settings: SearchClientSettings): InstantSearchClient => {
  const { workspace, api: name, ...service } = settings
  const api = queryApi(service, workspace, name)

  /** Sends the same query once, and as many as possible in one request. */
  const run = async <Reply>(plans: readonly Plan<Reply>[]): Promise<Reply[]> => {
    const paths = [...new Set(plans.flatMap(({ requests }) => requests.map(({ path }) => path)))]
    const chunks = Array.from({ length: Math.ceil(paths.length / batchMax) }, (_, index) =>
      paths.slice(index * batchMax, (index + 1) * batchMax),
    )
    const outcomes = (await Promise.all(chunks.map(chunk => api.batch(chunk)))).flat()
    const bodies = new Map(paths.map((path, index) => [path, readBody(outcomes[index])]))
    return plans.map(plan => plan.read(plan.requests.map(({ path }) => bodies.get(path))))
  }

  const client = {
    search: async (requests: readonly SearchRequest[]) => {
      const start = performance.now()
      const replies = await run<object>(
        requests.map(request =>
          request.params?.facetName === undefined
            ? planSearch(api, settings, request)
            : planFacetSearch(api, settings, request),
        ),
      )
      // The widget `stats` shows it. The page waited as long.
      const processingTimeMS = Math.max(1, Math.round(performance.now() - start))
      return { results: replies.map(reply => ({ ...reply, processingTimeMS })) }
    },
    searchForFacetValues: (requests: readonly SearchRequest[]) =>
      run(requests.map(request => planFacetSearch(api, settings, request))),
  }
  return client as unknown as InstantSearchClient
}

const readBody = (outcome: BatchOutcome<unknown> | undefined): unknown => {
  if (outcome?.ok) return outcome.body
  throw outcome?.error ?? new Error('the reply of the batch is too short')
}
