/** A stack of endpoints (query-service.md, Stacking), built by methods, with its requests. */
import type {
  ApiPlainEntity,
  ApiResultItem,
  ApiResultPage,
  ApiResults,
  ApiTypes,
  EndpointName,
  ParameterArguments,
} from './api-types.ts'
import type { StackedEndpoint } from './path.ts'
import { type ApiQueryOptions, type PreparedRequest, prepareRequests } from './prepared-request.ts'
import type { Count, FacetOptions, Statistics } from './replies.ts'

/** Options of a request of one API, with what cancels it. */
export type RequestOptions<Api extends ApiTypes> = ApiQueryOptions<Api> & { signal?: AbortSignal | undefined }
type PagingOptions<Api extends ApiTypes> = Omit<RequestOptions<Api>, 'cursor' | 'offset'>

/** Sends one request. Throws the errors of this library. */
export type SendRequest = <Reply>(
  request: PreparedRequest<Reply>,
  signal: AbortSignal | undefined,
) => Promise<Reply>

/**
 * A stack of endpoints, and the requests that can be sent of it. Never changes: methods that refine it return a new one. Requests throw
 * `ApiError`, `UnreachableError` and `UnexpectedReplyError`, and the reason of an aborted `signal`.
 */
export interface StackQuery<Api extends ApiTypes> {
  /** The endpoints so far. */
  readonly stack: readonly StackedEndpoint[]
  /** The same requests as below, not sent: for `batch`. */
  readonly request: ReturnType<typeof prepareRequests<Api>>
  /** Adds an endpoint with the values of its parameters. */
  refine<Endpoint extends EndpointName<Api>>(
    endpoint: Endpoint,
    ...values: ParameterArguments<Api['endpoints'][Endpoint]>
  ): StackQuery<Api>
  /** Keeps the documents with one of these values of a facet (`{facet}:FILTER`). Any text is one value, whatever it contains. */
  filter(facet: Api['facets'], values: string | readonly string[]): StackQuery<Api>
  results(options?: RequestOptions<Api>): Promise<ApiResults<Api>>
  /** Returns results as plain entities, which have their attributes at the top level. */
  resultPage(options?: RequestOptions<Api>): Promise<ApiResultPage<Api>>
  /** Returns one result as a plain entity: the first, or that of `rank`. */
  resultItem(options?: RequestOptions<Api>): Promise<ApiPlainEntity<Api>>
  count(options?: RequestOptions<Api>): Promise<Count>
  statistics(options?: RequestOptions<Api>): Promise<Statistics>
  resultsCount(options?: RequestOptions<Api>): Promise<[ApiResults<Api>, Statistics]>
  /** Returns the options of a facet among the results. */
  options(facet: Api['facets'], options?: RequestOptions<Api>): Promise<FacetOptions>
  /** Yields all pages in order, beyond 10,000 results too. Reads a page when it is asked for. */
  pages(options?: PagingOptions<Api>): AsyncGenerator<ApiResults<Api>, void>
  /** Yields all results in order. `count` is the size of the pages that it reads, default 10. */
  items(options?: PagingOptions<Api>): AsyncGenerator<ApiResultItem<Api>, void>
}

export const createStackQuery = <Api extends ApiTypes>(
  send: SendRequest,
  stack: StackedEndpoint[],
): StackQuery<Api> => {
  const request = prepareRequests<Api>(stack)
  const run =
    <Reply>(prepare: (options: ApiQueryOptions<Api>) => PreparedRequest<Reply>) =>
    async ({ signal, ...options }: RequestOptions<Api> = {}): Promise<Reply> =>
      send(prepare(options), signal)
  const results = run(request.results)
  const add = (step: StackedEndpoint) => createStackQuery<Api>(send, [...stack, step])

  async function* pages(options: PagingOptions<Api> = {}): AsyncGenerator<ApiResults<Api>, void> {
    for (let cursor: string | null | undefined = '*'; cursor; ) {
      const page: ApiResults<Api> = await results({ ...options, cursor })
      yield page
      cursor = page.next
    }
  }
  async function* items(options?: PagingOptions<Api>): AsyncGenerator<ApiResultItem<Api>, void> {
    for await (const page of pages(options)) yield* page.items
  }

  return {
    stack,
    request,
    refine: (endpoint, ...[values]) => add(writeStep(endpoint, values)),
    filter: (facet, values) =>
      add(writeStep(`${facet}:FILTER`, { value: writeFilterValue([values].flat()) })),
    results,
    resultPage: run(request.resultPage),
    resultItem: run(request.resultItem),
    count: run(request.count),
    statistics: run(request.statistics),
    resultsCount: run(request.resultsCount),
    options: (facet, options) => run(rest => request.options(facet, rest))(options),
    pages,
    items,
  }
}

/** Writes one endpoint of a stack. Leaves out parameters without a value. */
export const writeStep = (
  endpoint: string,
  values: Readonly<Record<string, unknown>> | undefined,
): StackedEndpoint => ({
  endpoint,
  parameters: Object.entries(values ?? {}).flatMap(([name, value]) =>
    value === undefined ? [] : [{ name, value: String(value) }],
  ),
})

/** Characters of the grammar, and texts that URL libraries take for directories. */
const needsQuotes = /[(),|"]|^\.{1,2}$|^\s|\s$/

/**
 * Writes values of a filter as alternatives (query-service.md, Filter values). A single value without special characters stays as it is, so
 * that URLs remain readable.
 */
export const writeFilterValue = (values: readonly string[]): string => {
  const [first = ''] = values
  if (values.length === 1 && !needsQuotes.test(first)) return first
  return `1(${values.map(value => `"${value.replaceAll(/["\\]/g, '\\$&')}"`).join(',')})`
}
