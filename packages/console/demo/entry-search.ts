/** The requests of the page. Each search is one request: a batch of results, their number, and both facets. */
import { queryApi, queryUrl } from '@querent/client'
import { facets, pageSize, type SearchState } from './search-state.ts'
import { readServerMs } from './server-time.ts'

/** The dictionary's public API, in packages/cli/dictionary/workspace.yaml. */
const workspace = 'dictionary'
const api = 'search-page'
const optionsShown = 12

const entries = queryApi({ baseUrl: location.origin }, workspace, api)

const buildQuery = ({ query, selected }: SearchState) =>
  facets.reduce(
    (stack, facet) => (selected[facet].length > 0 ? stack.filter(facet, selected[facet]) : stack),
    entries.query('search', { query }),
  )

/** Runs a search. Throws the errors of the client, and `ApiError` if one of the queries fails. */
export const runSearch = async (state: SearchState, signal: AbortSignal) => {
  const { request } = buildQuery(state)
  const options = { count: optionsShown, multiselect: true }
  let headers = new Headers()
  const onHeaders = (received: Headers) => {
    headers = received
  }
  const [results, domain, partOfSpeech] = await queryApi(
    { baseUrl: location.origin, onHeaders },
    workspace,
    api,
  ).batch(
    [
      request.resultsCount({ count: pageSize, offset: (state.page - 1) * pageSize, highlight: true }),
      request.options('domain', options),
      request.options('partOfSpeech', options),
    ],
    { signal },
  )
  for (const outcome of [results, domain, partOfSpeech]) if (!outcome.ok) throw outcome.error
  if (!results.ok || !domain.ok || !partOfSpeech.ok) throw new Error('unreachable')
  const [{ items, didYouMean }, { total }] = results.body
  return {
    /** As the service sends it. */
    body: results.body,
    items,
    didYouMean,
    total,
    facets: { domain: domain.body, partOfSpeech: partOfSpeech.body },
    /** Time in the server. The network and the browser add theirs. */
    serverMs: readServerMs(headers),
  }
}
export type SearchReply = Awaited<ReturnType<typeof runSearch>>

/** Returns the address of the results alone, for people to open and copy. */
export const resultsUrl = (state: SearchState): string =>
  queryUrl(
    location.origin,
    workspace,
    api,
    { kind: 'query', type: 'results', stack: [...buildQuery(state).stack] },
    { offset: (state.page - 1) * pageSize },
  )
