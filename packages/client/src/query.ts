/** Queries of one API. */
import { buildAddress, trimTrailingSlashes } from './address.ts'
import type { AnyApi, ApiTypes, EndpointName, ParameterArguments, StackStep } from './api-types.ts'
import { type ApiError, parseErrorReply } from './errors.ts'
import { type ApiRequest, writePath } from './path.ts'
import { type PreparedRequest, prepareRequests } from './prepared-request.ts'
import type { AddressOptions } from './query-options.ts'
import type { ApiDescription, ApiStatus, BatchReply } from './replies.ts'
import type { RetryPolicy } from './retry.ts'
import { type Request, send, type TokenSource } from './send.ts'
import { createStackQuery, type RequestOptions, type SendRequest, writeStep } from './stack-query.ts'

export interface QueryService {
  baseUrl: string
  /** Without it, only public APIs answer. */
  token?: TokenSource | undefined
  /** Sent with each query. */
  headers?: Readonly<Record<string, string>> | undefined
  /** Cancels all requests. Each request also takes its own. */
  signal?: AbortSignal | undefined
  /** Queries that the server asks to send later (429 and 503 with `Retry-After`) are sent again, by default twice. */
  retry?: RetryPolicy | undefined
  /** Receives the content of `Querent-Ignored-Parameters`: the query parameters that the server does not know and ignored. */
  onIgnoredParameters?: ((names: string) => void) | undefined
  /** Receives the headers of each successful reply, such as `X-Request-Id` and `Server-Timing`. */
  onHeaders?: ((headers: Headers) => void) | undefined
}

/** Reply of one query of a batch. One failed query doesn't fail the others. */
export type BatchOutcome<Reply> =
  | { ok: true; status: number; body: Reply }
  | { ok: false; status: number; error: ApiError }

type BatchItem = string | PreparedRequest<unknown>
/** The outcomes of a list of requests, in the same order. A path gives an unknown body. */
export type BatchOutcomes<Items extends readonly BatchItem[]> = {
  -readonly [Index in keyof Items]: BatchOutcome<
    Items[Index] extends PreparedRequest<infer Reply> ? Reply : unknown
  >
}

/**
 * Creates the queries of one API. Each throws `ApiError`, `UnreachableError` or `UnexpectedReplyError`, and what the token source throws. With
 * types of `querent types`, the compiler checks names: `queryApi<ShopApis['products']>(…)`.
 */
export const queryApi = <Api extends ApiTypes = AnyApi>(
  { baseUrl, token, headers, signal, retry = {}, onIgnoredParameters, onHeaders }: QueryService,
  workspace: string,
  api: string,
) => {
  const base = `${trimTrailingSlashes(baseUrl)}${writePath(workspace, api, { kind: 'about' })}`
  const call = <Reply>(path: string, ownSignal: AbortSignal | undefined, request: Request = {}) =>
    send<Reply>(path === '' ? base : `${base}/${path}`, {
      ...request,
      token,
      headers,
      signal: combineSignals(signal, ownSignal),
      retry,
      onHeaders(replyHeaders) {
        const names = replyHeaders.get('querent-ignored-parameters')
        if (names !== null) onIgnoredParameters?.(names)
        onHeaders?.(replyHeaders)
      },
    })
  const get: SendRequest = ({ path }, ownSignal) => call(path, ownSignal)
  const query = (stack: Stack) => createStackQuery<Api>(get, stack)

  type Stack = StackStep<Api>[]
  type Options = RequestOptions<Api>
  return {
    /** Starts a query with an endpoint and the values of its parameters: `query('search', { query: 'river' })`. */
    query: <Endpoint extends EndpointName<Api>>(
      endpoint: Endpoint,
      ...[values]: ParameterArguments<Api['endpoints'][Endpoint]>
    ) => createStackQuery<Api>(get, [writeStep(endpoint, values)]),
    /** Starts a query with a filter of a facet, over all documents of the API. */
    filter: (facet: Api['facets'], values: string | readonly string[]) =>
      createStackQuery<Api>(get, []).filter(facet, values),
    /** Options of a facet over all documents, not sent: for `batch`. */
    request: { options: prepareRequests<Api>([]).options },
    results: (stack: Stack, options?: Options) => query(stack).results(options),
    /** Returns results as plain entities, which have their attributes at the top level. */
    resultPage: (stack: Stack, options?: Options) => query(stack).resultPage(options),
    /** Returns one result as a plain entity. */
    resultItem: (stack: Stack, options?: Options) => query(stack).resultItem(options),
    count: (stack: Stack, options?: Options) => query(stack).count(options),
    statistics: (stack: Stack, options?: Options) => query(stack).statistics(options),
    resultsCount: (stack: Stack, options?: Options) => query(stack).resultsCount(options),
    /** Returns the options of a facet within a stack. An empty stack means all documents. */
    options: (stack: Stack, facet: Api['facets'], options?: Options) => query(stack).options(facet, options),
    /**
     * Runs up to 20 queries in one request, on one version of the documents. Each is a `request` of a query, or what follows
     * `…/api/{api}/` in its URL, such as `e/search/p/query/x/results?count=10`.
     */
    async batch<const Items extends readonly BatchItem[]>(
      requests: Items,
      { signal: ownSignal }: { signal?: AbortSignal | undefined } = {},
    ): Promise<BatchOutcomes<Items>> {
      const { responses } = await call<BatchReply>('batch', ownSignal, {
        method: 'POST',
        json: { requests: requests.map(item => (typeof item === 'string' ? item : item.path)) },
      })
      // The server answers in the order of the requests.
      return responses.map(readOutcome) as BatchOutcomes<Items>
    },
    about: (options: { signal?: AbortSignal | undefined } = {}) => call<ApiDescription>('', options.signal),
    status: ({ config, signal: ownSignal }: Pick<Options, 'config' | 'signal'> = {}) =>
      call<ApiStatus>(
        config === undefined ? 'status' : `status?${new URLSearchParams({ config })}`,
        ownSignal,
      ),
  }
}
export type QueryApi<Api extends ApiTypes = AnyApi> = ReturnType<typeof queryApi<Api>>

const readOutcome = ({ status, body }: BatchReply['responses'][number]): BatchOutcome<unknown> =>
  status < 400
    ? { ok: true, status, body }
    : { ok: false, status, error: parseErrorReply(status, JSON.stringify(body)) }

const combineSignals = (...signals: (AbortSignal | undefined)[]): AbortSignal | undefined => {
  const present = signals.filter(signal => signal !== undefined)
  return present.length > 1 ? AbortSignal.any(present) : present[0]
}

/** Returns the URL of a query, for people to open or copy. */
export const queryUrl = (
  baseUrl: string,
  workspace: string,
  api: string,
  request: ApiRequest,
  options: AddressOptions = {},
): string => buildAddress(baseUrl, writePath(workspace, api, request), { ...options })
