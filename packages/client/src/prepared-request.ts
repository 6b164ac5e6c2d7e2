/** Requests of one API that are written but not sent: for `batch`, or to send alone. */

import { buildQueryString } from './address.ts'
import type { ApiPlainEntity, ApiResultPage, ApiResults, ApiTypes } from './api-types.ts'
import { type ApiRequest, type StackedEndpoint, writeRequest } from './path.ts'
import type { QueryOptions } from './query-options.ts'
import type { Count, FacetOptions, Statistics } from './replies.ts'

/** Options of the queries of one API. */
export type ApiQueryOptions<Api extends ApiTypes> = Omit<QueryOptions, 'config'> & {
  config?: Api['configurations'] | undefined
}

/** A request and the type of its reply. */
export interface PreparedRequest<Reply> {
  /** The part of its URL after `…/api/{api}/`. */
  readonly path: string
  /** Never set: it carries the type. */
  readonly reply?: Reply
}

const prepare = <Reply>(request: ApiRequest, options: QueryOptions = {}): PreparedRequest<Reply> => ({
  path: `${writeRequest(request)}${buildQueryString({ ...options })}`,
})

/** Returns a function for each request type of a stack. */
export const prepareRequests = <Api extends ApiTypes>(stack: StackedEndpoint[]) => {
  type Options = ApiQueryOptions<Api>
  const query = (type: Extract<ApiRequest, { kind: 'query' }>['type']) =>
    ({ kind: 'query', type, stack }) as const
  return {
    results: (options?: Options) => prepare<ApiResults<Api>>(query('results'), options),
    resultPage: (options?: Options) => prepare<ApiResultPage<Api>>(query('resultpage'), options),
    resultItem: (options?: Options) => prepare<ApiPlainEntity<Api>>(query('resultitem'), options),
    count: (options?: Options) => prepare<Count>(query('count'), options),
    statistics: (options?: Options) => prepare<Statistics>(query('statistics'), options),
    resultsCount: (options?: Options) =>
      prepare<[ApiResults<Api>, Statistics]>(query('results,count'), options),
    options: (facet: Api['facets'], options?: Options) =>
      prepare<FacetOptions>({ kind: 'options', stack, facet }, options),
  }
}
