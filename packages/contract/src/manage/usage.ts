/** Usage and searches of a workspace. */
import { type Static, Type } from '#schema'
import { list, type Operations, Page, WorkspaceParams } from './operation.ts'

const Day = Type.String({
  pattern: '^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])$',
  description: 'A day in UTC: 2026-01-31',
})

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
  durations: Type.Array(Type.Object({ underMs: Type.Integer(), queries: Type.Integer() }), {
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
