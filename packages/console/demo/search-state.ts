/** The search of the page. Its address holds all of it, so that people can share, reload and go back. */

export const facets = ['partOfSpeech', 'domain'] as const
export type Facet = (typeof facets)[number]

export interface SearchState {
  query: string
  selected: Record<Facet, string[]>
  /** From 1. */
  page: number
}

export const pageSize = 10
/** The query service skips at most 10,000 results. */
export const pageMax = 10_000 / pageSize + 1
/** As many as the field takes. A longer text comes from a changed address. */
const queryCharactersMax = 300
const selectedMax = 20

export const readState = (search: string): SearchState => {
  const parameters = new URLSearchParams(search)
  const page = Number(parameters.get('page') ?? 1)
  const readSelected = (facet: Facet) => [...new Set(parameters.getAll(facet))].slice(0, selectedMax)
  return {
    query: (parameters.get('q') ?? '').slice(0, queryCharactersMax),
    selected: { partOfSpeech: readSelected('partOfSpeech'), domain: readSelected('domain') },
    page: Number.isInteger(page) && page >= 1 && page <= pageMax ? page : 1,
  }
}

/** Returns the address of the page with this search. */
export const writeState = ({ query, selected, page }: SearchState): string => {
  const parameters = new URLSearchParams()
  if (query !== '') parameters.set('q', query)
  for (const facet of facets) for (const value of selected[facet]) parameters.append(facet, value)
  if (page > 1) parameters.set('page', String(page))
  return parameters.size === 0 ? './' : `./?${parameters}`
}

/** A first page for a text, without filters. */
export const searchFor = (query: string): SearchState => ({
  query,
  selected: { partOfSpeech: [], domain: [] },
  page: 1,
})
