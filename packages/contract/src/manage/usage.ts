/** Usage and searches of a workspace. */
import { type Static, Type } from '#schema'
import { list, type Operations, Page, WorkspaceParams } from './operation.ts'
import { QueryLogParameters } from './workspaces.ts'

const Day = Type.String({
  pattern: '^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])$',
  description: 'A day in UTC: 2026-01-31',
})

export const DurationBucket = Type.Object({ underMs: Type.Integer(), queries: Type.Integer() })

/** Queries of one account by one endpoint of an API on one day. */
export const Usage = Type.Object({
  day: Day,
  api: Type.String(),
  endpoint: Type.String({
    description: 'First endpoint of the stack; empty if the query named an unknown one',
  }),
  account: Type.Union([Type.String(), Type.Null()], { description: 'null: a public API' }),
  name: Type.Union([Type.String(), Type.Null()], {
    description: 'E-mail address, or name of a System-to-System account; null: removed, or a public API',
  }),
  queries: Type.Integer(),
  failed: Type.Integer({ description: 'Authorized queries that ended with an error' }),
  empty: Type.Integer({ description: 'Queries without results' }),
  totalMs: Type.Integer({ description: 'Total duration' }),
  slowestMs: Type.Integer(),
  durations: Type.Array(DurationBucket, {
    description: 'Number of queries that took less than `underMs`',
  }),
})
export type Usage = Static<typeof Usage>

/** A search without its account. Only stored if `settings.queryLog.parameters` allows it. */
export const Search = Type.Object({
  api: Type.String(),
  parameters: Type.String({
    description:
      'Path of the endpoints, such as e/search/p/query/cat, at most 1024 characters; or its hmac-sha256:…',
  }),
  queries: Type.Integer(),
  empty: Type.Integer({ description: 'Queries without results' }),
})
export type Search = Static<typeof Search>

const Percentile = Type.Union([Type.Number(), Type.Null()], {
  description: 'Estimated from a histogram, at most 10 % off; null: no query was answered',
})

/** Queries by outcome, and how long answers took. */
const queryFigures = {
  searches: Type.Integer({
    description:
      'Searches as people count them: while somebody types, only the last text counts, and the parts of a page or batch are one search',
  }),
  emptySearches: Type.Integer({
    description: 'Searches without results; their share is emptySearches / searches',
  }),
  queries: Type.Integer({
    description: 'Requests for results or for options of facets, and those that failed',
  }),
  failed: Type.Integer({ description: 'Authorized queries that ended with an error' }),
  counted: Type.Integer({
    description: 'Queries whose number of results is known: not failed, not 304, and no options of facets',
  }),
  empty: Type.Integer({ description: 'Queries without results; their share is empty / counted' }),
  p50Ms: Percentile,
  p99Ms: Percentile,
}

const usageFigures = {
  ...queryFigures,
  refusals: Type.Integer({ description: 'Requests refused with 401 or 403' }),
  tokens: Type.Integer({ description: 'Issued access tokens of the workspace' }),
  tokenErrors: Type.Integer({ description: 'Rejected token requests of its clients' }),
  accepted: Type.Integer({ description: 'Imported documents' }),
  rejected: Type.Integer({ description: 'Documents that imports rejected' }),
}

/** Figures of a whole workspace, or of the API and endpoint of the request. Only queries have an endpoint. */
export const UsageFigures = Type.Object(usageFigures)

/** The figures of one hour or day. */
export const UsagePoint = Type.Object({
  start: Type.String({ description: 'Start of the hour or day' }),
  ...usageFigures,
})

export const EndpointUsage = Type.Object({
  api: Type.String(),
  endpoint: Type.String({ description: 'Empty: queries that named an unknown one' }),
  ...queryFigures,
})

export const ReasonCount = Type.Object({ reason: Type.String(), count: Type.Integer() })

export const ImportCounts = Type.Object({
  collection: Type.String(),
  accepted: Type.Integer(),
  rejected: Type.Integer(),
})

export const QueryLogState = Type.Object({
  parameters: QueryLogParameters,
  keepDays: Type.Integer({ description: 'How long figures and searches are kept' }),
})

/** Reasons with their number of requests, the most frequent first. */
const reasons = (description: string) => Type.Array(ReasonCount, { description })

export const UsageSummary = Type.Object({
  step: Type.Union([Type.Literal('hour'), Type.Literal('day')], { description: 'In UTC' }),
  points: Type.Array(UsagePoint, { description: 'Every hour or day of the period, the current one last' }),
  total: UsageFigures,
  previous: Type.Union([UsageFigures, Type.Null()], {
    description:
      'Figures of the period of the same length before this one; null: they are no longer all kept',
  }),
  endpoints: Type.Array(EndpointUsage, {
    description: 'The 1,000 most used ones of all APIs, whatever the request filters by',
  }),
  refusals: reasons('By failed check'),
  failures: reasons('Failed queries by error code'),
  tokens: reasons('By grant'),
  tokenErrors: reasons('By error of RFC 6749'),
  imports: Type.Array(ImportCounts),
  queryLog: QueryLogState,
  topSearches: Type.Array(Search, {
    description: 'The most frequent searches of the days that the period touches',
  }),
  topEmptySearches: Type.Array(Search, { description: 'The most frequent searches without results' }),
})
export type UsageSummary = Static<typeof UsageSummary>

/** Both inclusive; by default the last 30 days. */
const usageDays = { from: Type.Optional(Day), to: Type.Optional(Day) }

export const usageOperations = {
  listUsage: {
    id: 'listUsage',
    method: 'GET',
    path: '/workspaces/{workspace}/usage',
    permission: 'edit',
    summary: 'Count queries by day, API, endpoint and account',
    params: WorkspaceParams,
    query: Type.Object({ ...usageDays, ...Page.properties }),
    status: 200,
    reply: list(Usage),
  },
  summarizeUsage: {
    id: 'summarizeUsage',
    method: 'GET',
    path: '/workspaces/{workspace}/usage/summary',
    permission: 'edit',
    summary: 'Summarize queries, refusals, tokens and imports over time',
    params: WorkspaceParams,
    query: Type.Object({
      period: Type.Optional(
        Type.Union([Type.Literal('24h'), Type.Literal('7d'), Type.Literal('30d')], {
          description: '24h: by hour; 7d and 30d: by day. Default 24h',
        }),
      ),
      from: Type.Optional(Day),
      to: Type.Optional(Day),
      api: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'Only this API' })),
      endpoint: Type.Optional(
        Type.String({ minLength: 1, maxLength: 100, description: 'Only this endpoint of the API' }),
      ),
    }),
    status: 200,
    reply: UsageSummary,
  },
  listSearches: {
    id: 'listSearches',
    method: 'GET',
    path: '/workspaces/{workspace}/usage/searches',
    permission: 'edit',
    summary: 'List the most frequent searches, if the workspace stores parameters',
    params: WorkspaceParams,
    query: Type.Object({ ...usageDays, count: Page.properties.count }),
    status: 200,
    reply: Type.Object({ items: Type.Array(Search) }),
  },
} as const satisfies Operations
