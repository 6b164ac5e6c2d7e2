/** Queries, with one function for each request type. */
import { type ApiRequest, type StackedEndpoint, writePath } from '@querent/contract/paths'
import type {
  ApiDescription,
  BatchReply,
  Count,
  Options as FacetOptions,
  Statistics,
  Status,
} from '@querent/contract/query'
import { buildAddress } from './address.ts'
import type { AnyApi, ApiPlainEntity, ApiResultPage, ApiResults, ApiTypes, StackStep } from './api-types.ts'
import { send, type TokenSource } from './send.ts'

export interface QueryOptions {
  config?: string | undefined
  count?: number | undefined
  offset?: number | undefined
  /** `*` for the first page, then the `next` of the previous one. Not together with `offset`. */
  cursor?: string | undefined
  cutoff?: number | undefined
  /** Names, separated by commas. */
  attributes?: string | undefined
  highlight?: boolean | undefined
  multiselect?: boolean | undefined
  /** For `options`: only those with a word that starts with this text. */
  query?: string | undefined
  /** For `resultItem`, from 1. */
  rank?: number | undefined
}

/** Options of the queries of one API. */
export type ApiQueryOptions<Api extends ApiTypes> = Omit<QueryOptions, 'config'> & {
  config?: Api['configurations'] | undefined
}

/** Options of `queryUrl`, which can also return results as a file. */
export interface AddressOptions extends QueryOptions {
  format?: 'json' | 'csv' | 'xlsx' | 'xml' | 'rdf' | undefined
}

export interface QueryService {
  baseUrl: string
  /** Without it, only public APIs answer. */
  token?: TokenSource | undefined
  /** Sent with each query. */
  headers?: Readonly<Record<string, string>> | undefined
  signal?: AbortSignal | undefined
  /** Receives the content of `Querent-Ignored-Parameters`: the query parameters that the server does not know and ignored. */
  onIgnoredParameters?: ((names: string) => void) | undefined
  /** Receives the headers of each successful reply, such as `X-Request-Id` and `Server-Timing`. */
  onHeaders?: ((headers: Headers) => void) | undefined
}

/**
 * Creates the queries of one API. Each throws `ApiError` or `UnreachableError`. With types of `querent types`, the compiler checks names:
 * `queryApi<ShopApis['products']>(…)`.
 */
export const queryApi = <Api extends ApiTypes = AnyApi>(
  { baseUrl, token, headers, signal, onIgnoredParameters, onHeaders }: QueryService,
  workspace: string,
  api: string,
) => {
  const get = <Reply>(request: ApiRequest, options: QueryOptions = {}): Promise<Reply> =>
    send<Reply>(buildAddress(baseUrl, writePath(workspace, api, request), { ...options }), {
      token,
      headers,
      signal,
      onHeaders(replyHeaders) {
        const names = replyHeaders.get('querent-ignored-parameters')
        if (names !== null) onIgnoredParameters?.(names)
        onHeaders?.(replyHeaders)
      },
    })
  const query = (type: Extract<ApiRequest, { kind: 'query' }>['type'], stack: StackedEndpoint[]) =>
    ({ kind: 'query', type, stack }) as const

  type Stack = StackStep<Api>[]
  type Options = ApiQueryOptions<Api>
  return {
    results: (stack: Stack, options?: Options) => get<ApiResults<Api>>(query('results', stack), options),
    /** Returns results as plain entities, which have their attributes at the top level. */
    resultPage: (stack: Stack, options?: Options) =>
      get<ApiResultPage<Api>>(query('resultpage', stack), options),
    /** Returns one result as a plain entity. */
    resultItem: (stack: Stack, options?: Options) =>
      get<ApiPlainEntity<Api>>(query('resultitem', stack), options),
    count: (stack: Stack, options?: Options) => get<Count>(query('count', stack), options),
    statistics: (stack: Stack, options?: Options) => get<Statistics>(query('statistics', stack), options),
    resultsCount: (stack: Stack, options?: Options) =>
      get<[ApiResults<Api>, Statistics]>(query('results,count', stack), options),
    /** Returns the options of a facet within a stack. An empty stack means all documents. */
    options: (stack: Stack, facet: Api['facets'], options?: Options) =>
      get<FacetOptions>({ kind: 'options', stack, facet }, options),
    /**
     * Runs up to 20 queries in one request, on one version of the documents. Each is what follows `…/api/{api}/` in its URL, such as
     * `e/search/p/query/x/results?count=10`. A failed query has its error as `body`.
     */
    batch: (requests: readonly string[]) =>
      send<BatchReply>(buildAddress(baseUrl, writePath(workspace, api, { kind: 'batch' }), {}), {
        method: 'POST',
        json: { requests },
        token,
        headers,
        signal,
      }),
    about: () => get<ApiDescription>({ kind: 'about' }),
    status: (options?: Pick<Options, 'config'>) => get<Status>({ kind: 'status' }, options),
  }
}

/** Returns the URL of a query, for people to open or copy. */
export const queryUrl = (
  baseUrl: string,
  workspace: string,
  api: string,
  request: ApiRequest,
  options: AddressOptions = {},
): string => buildAddress(baseUrl, writePath(workspace, api, request), { ...options })
