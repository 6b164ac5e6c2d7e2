/** Usage statistics of a workspace. */
import type { Search } from '@querent/contract/manage'
import { writeStack } from '@querent/contract/paths'
import { Problem } from '#errors'
import { findClient } from '#storage/clients'
import type { Db } from '#storage/db'
import {
  type Days,
  dayMs,
  describeQueryLog,
  type FoundSearch,
  listSearches,
  listUsage,
  toDay,
  type UsageCursor,
  type UsageRow,
} from '#storage/usage'
import {
  hourRetentionMs,
  listCountsByName,
  listCountsOverTime,
  startOfUnit,
  type UsagePeriod,
  unitMs,
} from '#storage/usage-counts'
import { findUsers } from '#storage/users'
import type { UsageLog } from '#usage/usage-log'
import type { Handler } from './call.ts'
import { makePage, readPageQuery } from './pages.ts'
import { findUsageSight } from './usage-sight.ts'
import { summarizeCounts, summarizeFigures } from './usage-summary.ts'

const daysDefault = 30
const searchesDefault = 100
/** Searches in each list of a summary. */
const topSearches = 20
/** Searches that are read to find those of one endpoint. */
const searchesRead = 1000

export const usageHandlers = {
  listUsage: async (deps, call) => {
    const { storage, usageLog } = deps
    const { workspace, query } = call
    const { seesEndpoint } = await findUsageSight(deps, call)
    // Include queries of the last moments.
    await usageLog.flush()
    const request = readPageQuery(query)
    const cursor = parseCursor(request.after)
    const rows = await listUsage(storage.db, workspace.id, readDays(query), cursor, request.count + 1)
    const page = makePage(rows, request, formatCursor)
    const names = await findAccountNames(storage.db, new Set(page.rows.map(({ account }) => account)))
    const visible = page.rows.filter(({ api, endpoint }) => seesEndpoint(api, endpoint))
    return { items: visible.map(row => describeUsage(row, names)), next: page.next }
  },
  summarizeUsage: async (deps, call) => {
    const {
      storage: { db },
      usageLog,
    } = deps
    const { workspace, query } = call
    const sight = await findUsageSight(deps, call)
    await usageLog.flush()
    const { api, endpoint } = query
    if (endpoint !== undefined && api === undefined)
      throw new Problem('bad-parameter', 'endpoint: allowed only with "api", the API of the endpoint')
    const period = readPeriod(query)
    // Hidden endpoints have the figures of unknown ones.
    const isSeen = api === undefined || sight.seesEndpoint(api, endpoint ?? '')
    const listCounts = (counted: UsagePeriod) =>
      isSeen ? listCountsOverTime(db, workspace.id, counted, { api, endpoint }) : []
    const overTime = await listCounts(period)
    const byName = await listCountsByName(db, workspace.id, period)
    const days = { from: toDay(period.from), to: toDay(period.to) }
    const listTop = async (order: 'queries' | 'empty') => {
      if (!sight.seesSearches) return []
      // With an endpoint, the texts must be read to tell the searches of others.
      const count = endpoint === undefined ? topSearches : searchesRead
      const searches = await listSearches(db, workspace.id, days, { count, order, api })
      return searches
        .map(search => describeSearch(usageLog, workspace.id, search))
        .filter(({ parameters }) => endpoint === undefined || startsWithEndpoint(parameters, endpoint))
        .slice(0, topSearches)
    }
    const queryLog = describeQueryLog(workspace.definition)
    const precedingPeriod = previousPeriod(period)
    const isBeforeKept = precedingPeriod.from > Date.now() - keptMs(period.unit, queryLog.keepDays)
    return {
      ...summarizeCounts(period, overTime, byName, sight),
      previous: isBeforeKept ? summarizeFigures(await listCounts(precedingPeriod)) : null,
      queryLog,
      topSearches: await listTop('queries'),
      topEmptySearches: await listTop('empty'),
    }
  },
  listSearches: async (deps, call) => {
    const { storage, usageLog } = deps
    const { workspace, query } = call
    const { seesSearches } = await findUsageSight(deps, call)
    if (!seesSearches) return { items: [] }
    await usageLog.flush()
    const count = query.count ?? searchesDefault
    const searches = await listSearches(storage.db, workspace.id, readDays(query), { count })
    return { items: searches.map(search => describeSearch(usageLog, workspace.id, search)) }
  },
} satisfies {
  listUsage: Handler<'listUsage'>
  summarizeUsage: Handler<'summarizeUsage'>
  listSearches: Handler<'listSearches'>
}

interface PeriodQuery {
  period?: keyof typeof periodUnits
  from?: string
  to?: string
}

/** Longest period of chosen days. */
const periodDaysMax = 366

const readPeriod = (query: PeriodQuery): UsagePeriod => {
  if (query.from === undefined && query.to === undefined) return makePeriod(query.period ?? '24h')
  if (query.period !== undefined)
    throw new Problem('bad-parameter', 'period: allowed only without "from" and "to"')
  const { from, to } = readDays(query)
  if (to - from >= periodDaysMax)
    throw new Problem('bad-parameter', `from: allowed: at most ${periodDaysMax} days before "to"`)
  return { unit: 'day', from: from * dayMs, to: to * dayMs }
}

const previousPeriod = ({ unit, from, to }: UsagePeriod): UsagePeriod => {
  const end = from - unitMs[unit]
  return { unit, from: end - (to - from), to: end }
}

/** How long counts by hour or day are kept, in milliseconds. */
const keptMs = (unit: UsagePeriod['unit'], keepDays: number): number =>
  unit === 'hour' ? Math.min(hourRetentionMs, keepDays * dayMs) : (keepDays + 1) * dayMs

/** Hours or days up to now. */
const makePeriod = (name: keyof typeof periodUnits): UsagePeriod => {
  const [unit, count] = periodUnits[name]
  const lastStart = startOfUnit(unit, Date.now())
  return { unit, from: lastStart - (count - 1) * unitMs[unit], to: lastStart }
}

const periodUnits = { '24h': ['hour', 24], '7d': ['day', 7], '30d': ['day', 30] } as const

const describeSearch = (
  { decryptSearch }: Pick<UsageLog, 'decryptSearch'>,
  workspaceId: string,
  { day, api, parameters, encrypted_text, queries, empty }: FoundSearch,
): Search => {
  const text = encrypted_text === null ? undefined : decryptSearch({ workspaceId, day }, encrypted_text)
  return { api, parameters: text ?? parameters, queries, empty }
}

const startsWithEndpoint = (parameters: string, endpoint: string): boolean =>
  `${parameters}/`.startsWith(`${writeStack([{ endpoint, parameters: [] }])}/`)

const dayText = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 'YYYY-MM-DD'.length)

const readDays = ({ from, to }: { from?: string; to?: string }): Days => {
  const last = to === undefined ? toDay(Date.now()) : readDay('to', to)
  const first = from === undefined ? last - daysDefault + 1 : readDay('from', from)
  if (first > last) throw new Problem('bad-parameter', `from: found ${from}, allowed: a day not after "to"`)
  return { from: first, to: last }
}

const readDay = (name: string, text: string): number => {
  const day = Date.parse(`${text}T00:00:00Z`)
  if (Number.isNaN(day) || dayText(toDay(day)) !== text)
    throw new Problem('bad-parameter', `${name}: found "${text}", allowed: a day as 2026-01-31`)
  return toDay(day)
}

/** Names and ids have no spaces. */
const formatCursor = ({ day, api, endpoint, account }: UsageCursor): string =>
  [day, api, endpoint, account].join(' ')

const parseCursor = (after: string): UsageCursor | undefined => {
  if (after === '') return undefined
  const [day = '', api = '', endpoint = '', account = ''] = after.split(' ')
  if (!/^[0-9]{1,6}$/.test(day))
    throw new Problem('bad-parameter', 'after: allowed: "next" of the previous page')
  return { day: Number(day), api, endpoint, account }
}

/** Returns addresses of people and names of System-to-System accounts. */
const findAccountNames = async (
  db: Db,
  accounts: ReadonlySet<string>,
): Promise<ReadonlyMap<string, string>> => {
  const users = await findUsers(db, [...accounts])
  const names = new Map(users.map(({ id, email }) => [id, email]))
  for (const account of accounts) {
    const client = names.has(account) || account === '' ? undefined : await findClient(db, account)
    if (client) names.set(account, client.name)
  }
  return names
}

const describeUsage = (row: UsageRow, names: ReadonlyMap<string, string>) => ({
  day: dayText(row.day),
  api: row.api,
  endpoint: row.endpoint,
  account: row.account === '' ? null : row.account,
  name: names.get(row.account) ?? null,
  queries: row.queries,
  failed: row.failed,
  empty: row.empty,
  totalMs: row.total_ms,
  slowestMs: row.slowest_ms,
  durations: [
    { underMs: 5, queries: row.under_5_ms },
    { underMs: 20, queries: row.under_20_ms },
    { underMs: 100, queries: row.under_100_ms },
    { underMs: 500, queries: row.under_500_ms },
    { underMs: 2000, queries: row.under_2000_ms },
  ],
})
