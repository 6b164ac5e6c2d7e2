/** Usage statistics of a workspace. */
import { Problem } from '#errors'
import { findClient } from '#storage/clients'
import type { Db } from '#storage/db'
import {
  type Days,
  dayMs,
  listSearches,
  listUsage,
  toDay,
  type UsageCursor,
  type UsageRow,
} from '#storage/usage'
import { findUsers } from '#storage/users'
import type { Handler } from './call.ts'
import { makePage, readPageQuery } from './pages.ts'

const daysDefault = 30
const searchesDefault = 100

export const usageHandlers = {
  listUsage: async ({ storage, usageLog }, { workspace, query }) => {
    // Include queries of the last moments.
    await usageLog.flush()
    const request = readPageQuery(query)
    const cursor = parseCursor(request.after)
    const rows = await listUsage(storage.db, workspace.id, readDays(query), cursor, request.count + 1)
    const page = makePage(rows, request, formatCursor)
    const names = await findAccountNames(storage.db, new Set(page.rows.map(({ account }) => account)))
    return { items: page.rows.map(row => describeUsage(row, names)), next: page.next }
  },
  listSearches: async ({ storage, usageLog }, { workspace, query }) => {
    await usageLog.flush()
    const items = await listSearches(
      storage.db,
      workspace.id,
      readDays(query),
      query.count ?? searchesDefault,
    )
    return { items }
  },
} satisfies { listUsage: Handler<'listUsage'>; listSearches: Handler<'listSearches'> }

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
