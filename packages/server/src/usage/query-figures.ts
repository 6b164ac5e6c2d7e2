/** Figures of queries in memory, by workspace, hour, API, endpoint and account. Adding a query allocates nothing once its figures exist. */

import { toDay, type UsageRow } from '#storage/usage'
import { startOfUnit, type UsageCountRow } from '#storage/usage-counts'
import { bucketsCount, toBucket } from './durations.ts'
import { getOrCreate } from './get-or-create.ts'

export interface QueryOutcome {
  workspaceId: string
  api: string
  endpoint: string
  /** Id of a user or Client ID; '' for a public API. */
  account: string
  /** Number of results. Undefined if the client had them already, or the query failed. */
  total: number | undefined
  /** Whether there may be more results than `total`. */
  hasMoreThanTotal?: boolean | undefined
  /** The facet whose options were requested. Such a request is no search: its number of results is that of the search beside it. */
  facet?: string | undefined
  /** Error code. */
  failure: string | undefined
  ms: number
}

export interface QueryFigures {
  /** Returns false if there is no room for other figures. `now`: milliseconds since 1970. */
  add(outcome: QueryOutcome, now: number): boolean
  isEmpty(): boolean
  /** Removes all figures and returns them as rows. */
  take(): { usage: UsageRow[]; counts: UsageCountRow[] }
}

/** Distinct figures of endpoints, and of accounts, in memory. */
const figuresMax = 20_000
/** Error codes come from our code, but a bug could let clients choose them. */
const failuresMax = 100

/** Queries of one endpoint in one hour. */
interface EndpointFigures {
  found: number
  empty: number
  unchanged: number
  /** Answered requests for options of a facet. */
  options: number
  failures: Map<string, number>
  /** Answered queries by bucket of their duration. */
  durations: Uint32Array
  accounts: Map<string, UsageRow>
}

/** By workspace, hour, API and endpoint. Building one text key for each query would cost more than everything else here. */
type FiguresTree = Map<string, Map<number, Map<string, Map<string, EndpointFigures>>>>

export const createQueryFigures = (): QueryFigures => {
  let tree: FiguresTree = new Map()
  let count = 0

  const findEndpoint = ({ workspaceId, api, endpoint }: QueryOutcome, hour: number) => {
    const byApi = getOrCreate(getOrCreate(tree, workspaceId, createMap), hour, createMap)
    const byEndpoint = getOrCreate(byApi, api, createMap)
    const existing = byEndpoint.get(endpoint)
    if (existing || count >= figuresMax) return existing
    const figures = createEndpointFigures()
    byEndpoint.set(endpoint, figures)
    count += 1
    return figures
  }
  const findAccount = (figures: EndpointFigures, outcome: QueryOutcome, hour: number) => {
    const existing = figures.accounts.get(outcome.account)
    if (existing || count >= figuresMax) return existing
    const { workspaceId, api, endpoint, account } = outcome
    const row = { workspace_id: workspaceId, day: toDay(hour), api, endpoint, account, ...zeroUsage }
    figures.accounts.set(account, row)
    count += 1
    return row
  }
  return {
    add(outcome, now) {
      const hour = startOfUnit('hour', now)
      const figures = findEndpoint(outcome, hour)
      const row = figures && findAccount(figures, outcome, hour)
      if (!row) return false
      addToEndpoint(figures, outcome)
      addToAccount(row, outcome)
      return true
    },
    isEmpty: () => count === 0,
    take() {
      const fullTree = tree
      tree = new Map()
      count = 0
      return listRows(fullTree)
    },
  }
}

const createMap = <Key, Value>() => new Map<Key, Value>()

const createEndpointFigures = (): EndpointFigures => ({
  found: 0,
  empty: 0,
  unchanged: 0,
  options: 0,
  failures: new Map(),
  durations: new Uint32Array(bucketsCount),
  accounts: new Map(),
})

const addToEndpoint = (figures: EndpointFigures, { total, facet, failure, ms }: QueryOutcome): void => {
  if (failure !== undefined) {
    const { failures } = figures
    const code = failures.has(failure) || failures.size < failuresMax ? failure : 'fault'
    failures.set(code, (failures.get(code) ?? 0) + 1)
    return
  }
  if (total === undefined) figures.unchanged += 1
  else if (facet !== undefined) figures.options += 1
  else if (total === 0) figures.empty += 1
  else figures.found += 1
  const bucket = toBucket(ms)
  figures.durations[bucket] = (figures.durations[bucket] ?? 0) + 1
}

const zeroUsage = {
  queries: 0,
  failed: 0,
  empty: 0,
  total_ms: 0,
  slowest_ms: 0,
  under_5_ms: 0,
  under_20_ms: 0,
  under_100_ms: 0,
  under_500_ms: 0,
  under_2000_ms: 0,
}

const addToAccount = (row: UsageRow, { total, facet, failure, ms }: QueryOutcome): void => {
  row.queries += 1
  if (failure !== undefined) row.failed += 1
  if (total === 0 && facet === undefined) row.empty += 1
  row.total_ms += ms
  if (ms > row.slowest_ms) row.slowest_ms = Math.ceil(ms)
  if (ms < 5) row.under_5_ms += 1
  if (ms < 20) row.under_20_ms += 1
  if (ms < 100) row.under_100_ms += 1
  if (ms < 500) row.under_500_ms += 1
  if (ms < 2000) row.under_2000_ms += 1
}

const listRows = (tree: FiguresTree): ReturnType<QueryFigures['take']> => {
  const usage: UsageRow[] = []
  const counts: UsageCountRow[] = []
  for (const [workspace_id, byHour] of tree)
    for (const [start, byApi] of byHour)
      for (const [api, byEndpoint] of byApi)
        for (const [name, figures] of byEndpoint) {
          for (const row of figures.accounts.values())
            usage.push({ ...row, total_ms: Math.round(row.total_ms) })
          const key = { workspace_id, unit: 'hour', start, api, name } as const
          for (const row of countEndpoint(figures)) counts.push({ ...key, ...row })
        }
  return { usage, counts }
}

const countEndpoint = ({ found, empty, unchanged, options, failures, durations }: EndpointFigures) => {
  const queries = [
    ...Object.entries({ found, empty, unchanged, options }),
    ...[...failures].map(([code, count]) => [`failed:${code}`, count] as const),
  ].map(([detail, count]) => ({ kind: 'query', detail, count }) as const)
  const buckets = [...durations].map(
    (count, bucket) => ({ kind: 'duration', detail: String(bucket), count }) as const,
  )
  return [...queries, ...buckets].filter(({ count }) => count > 0)
}
