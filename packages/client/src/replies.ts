/**
 * Replies of the query service (query-service.md, Responses), as plain types. `@querent/contract/query` has the same as schemas, which need a
 * library. replies.test.ts compares the two.
 */

export interface Entity {
  /** URI. */
  id: string
  class: string[]
  attributes: Record<string, unknown>
}

/** An entity with its attributes at the top level. */
export type PlainEntity = { id: string; class: string[] } & Record<string, unknown>

/** With `highlight`: attribute → HTML snippets, with matches in `<mark>`. */
export type Highlights = Record<string, string[]>

/** One result. `Tuple` is what it is about. */
export interface ResultItem<Tuple = Entity> {
  /** Over the whole result, from 1. */
  rank: number
  /** Score over the best score of the result, in (0,1]. */
  probability: number
  tuple: Tuple[]
  highlights?: Highlights
  /** With `parts`, for a mix: the rank in each part that finds the document, by endpoint; null after the first 1,000. */
  parts?: Record<string, number | null>
  /** With `collapse`: the value that the item stands for (null without one), its number of documents, and further ones. */
  collapsed?: { value: string | number | null; count: number; others: Tuple[] }
}

/** One page of results. */
export interface Results<Tuple = Entity> {
  offset: number
  count: number
  type: string[]
  items: ResultItem<Tuple>[]
  /** With `cursor`: the cursor of the next page, null after the last page. */
  next?: string | null
  /** With `matching: relaxed`: the words of the query that the results need not contain. */
  relaxed?: string[]
  /** If a text finds nothing: the closest text that finds something, or null. */
  didYouMean?: string | null
  /** Endpoints of a mix that did not take part, because their embedder failed. */
  degraded?: string[]
}
export type ResultPage = Results<PlainEntity>

export interface Count {
  total: number
  /** Endpoints of a mix that did not take part, because their embedder failed. */
  degraded?: string[]
}

export interface Statistics {
  total: number
  /** Exact numbers of results with at least a probability, from "0.9" to "0.0". */
  stats: { cutoff: string; numResults: number }[]
  /** Endpoints of a mix that did not take part, because their embedder failed. */
  degraded?: string[]
}

export interface FacetOption {
  id: string
  /** `count` over the number of results. */
  score: number
  /** The value for the filter of the facet. */
  value: string
  title: string
  count: number
  /** In a list of facets: the number of different values. */
  options?: number
}

export interface FacetOptions {
  id: string
  title: string
  /** Options in the stack's filter of this facet. */
  selected: FacetOption[]
  options: FacetOption[]
  /** Only facets with `statistics: true` have it. Dates are texts in UTC and have no sum. */
  statistics?: {
    min: number | string | null
    max: number | string | null
    sum: number | null
    average: number | string | null
    count: number
  }
  /** Endpoints of a mix that did not take part, because their embedder failed. */
  degraded?: string[]
}

export interface ApiDescription {
  workspace: string
  api: string
  title: string
  access: string
  configurations: string[]
  endpoints: {
    name: string
    kind: string
    title: string
    parameters: { name: string; type: string; required: boolean; among?: string[] }[]
  }[]
}

export interface ApiStatus {
  status: 'ok' | 'rebuilding'
  config: string
  /** Collection → the generation that answers. */
  generations: Record<string, string>
  /** Collections whose search index is being rebuilt; their queries get 503 until it is done. */
  rebuilding?: Record<string, { done: number; total: number }>
  /** Collections whose vectors the server makes → documents that wait for theirs. Absent for callers with a row filter. */
  /** Present while the disk of the server is full: queries are answered, changes get 503. */
  disk?: 'full'
  missingVectors?: Record<string, number>
}

export interface BatchReply {
  responses: { status: number; body: unknown }[]
}

/** One wrong place in a request. `line` and `column` start at 1. */
export interface ErrorPlace {
  message: string
  path?: string
  line?: number
  column?: number
  /** Why it is wrong: stable, for programs that write the message in another language. Many messages have none. */
  code?: string
  /** Values of the message. */
  values?: Record<string, string | number>
}
