/** Usage statistics of the query service, added up by day and pruned as the workspace configures. */
import type { Definition } from '@querent/contract/workspace-file'
import { sql, type Transaction } from 'kysely'
import type { Db } from './db.ts'
import type { StorageKind, Tables } from './tables.ts'
import { pruneUsageCounts } from './usage-counts.ts'
import { dropRemovedWorkspaces, sortedBatches } from './usage-rows.ts'

export type UsageRow = Tables['usage']
export type SearchRow = Tables['searches']

export const dayMs = 24 * 60 * 60 * 1000
/** Days since 1970, UTC. */
export const toDay = (ms: number): number => Math.floor(ms / dayMs)

const keepDaysDefault = 30
/** Most frequent searches kept for each workspace and day. */
const searchesADayMax = 10_000

export const usageKey = ['workspace_id', 'day', 'api', 'endpoint', 'account'] as const
export const searchKey = ['workspace_id', 'day', 'api', 'parameters'] as const
const addedColumns = [
  'queries',
  'failed',
  'empty',
  'total_ms',
  'under_5_ms',
  'under_20_ms',
  'under_100_ms',
  'under_500_ms',
  'under_2000_ms',
] as const

/** Adds to the stored numbers; each key once. Skips removed workspaces. */
export const addUsage = async (db: Db, usage: readonly UsageRow[]): Promise<void> => {
  for (const rows of sortedBatches(await dropRemovedWorkspaces(db, usage), usageKey))
    await db
      .insertInto('usage')
      .values([...rows])
      .onConflict(c =>
        c.columns([...usageKey]).doUpdateSet(({ ref }) => ({
          ...Object.fromEntries(
            addedColumns.map(column => [
              column,
              sql`${ref(`usage.${column}`)} + ${ref(`excluded.${column}`)}`,
            ]),
          ),
          slowest_ms: sql<number>`case when ${ref('excluded.slowest_ms')} > ${ref('usage.slowest_ms')} then ${ref('excluded.slowest_ms')} else ${ref('usage.slowest_ms')} end`,
        })),
      )
      .execute()
}

/**
 * Adds to the stored searches; each key once. Skips removed workspaces, and what their settings do not allow at this moment. Runs in a
 * transaction: a change of the setting waits for it, and removes what it wrote.
 */
export const addSearches = async (
  db: Transaction<Tables>,
  kind: StorageKind,
  searches: readonly SearchRow[],
): Promise<void> => {
  if (searches.length === 0) return
  const forms = await lockSearchForms(db, kind, [...new Set(searches.map(row => row.workspace_id))])
  const allowedRows = searches.flatMap(row => {
    const form = forms.get(row.workspace_id) ?? 'off'
    return form === 'off' ? [] : [form === 'full' ? row : { ...row, encrypted_text: null }]
  })
  for (const rows of sortedBatches(allowedRows, searchKey))
    await db
      .insertInto('searches')
      .values([...rows])
      .onConflict(c =>
        c.columns([...searchKey]).doUpdateSet(({ ref, fn }) => ({
          queries: sql<number>`${ref('searches.queries')} + ${ref('excluded.queries')}`,
          empty: sql<number>`${ref('searches.empty')} + ${ref('excluded.empty')}`,
          encrypted_text: fn.coalesce('searches.encrypted_text', 'excluded.encrypted_text'),
        })),
      )
      .execute()
}

/** Form in which a workspace stores searches. */
type SearchForm = 'off' | 'hashed' | 'full'

/** Reads how workspaces store searches, and makes changes of the setting wait for this transaction. SQLite has locked everything. */
const lockSearchForms = async (
  db: Transaction<Tables>,
  kind: StorageKind,
  ids: readonly string[],
): Promise<Map<string, SearchForm>> => {
  const select = db
    .selectFrom('workspaces')
    .select(['id', 'definition_json'])
    .where('id', 'in', ids)
    .orderBy('id')
  const rows = await (kind === 'postgres' ? select.forShare() : select).execute()
  return new Map(
    rows.map(({ id, definition_json }) => [
      id,
      describeQueryLog(parseDefinition(definition_json)).parameters,
    ]),
  )
}

/** Only `createWorkspace` and `saveDefinition` write definitions. */
const parseDefinition = (json: string): Definition => JSON.parse(json) as Definition

/** Returns the settings of the query log with their defaults. */
export const describeQueryLog = ({ settings }: Definition): { parameters: SearchForm; keepDays: number } => {
  const { keep = `${keepDaysDefault}d`, parameters = 'off' } = settings?.queryLog ?? {}
  return { parameters, keepDays: Number.parseInt(keep, 10) }
}

/** Removes searches, or their texts, where this definition does not allow them. Returns whether there were any. */
export const removeDisallowedSearches = async (
  db: Db,
  workspaceId: string,
  definition: Definition,
): Promise<boolean> => {
  const { parameters } = describeQueryLog(definition)
  if (parameters === 'full') return false
  if (parameters === 'off') {
    const { numDeletedRows } = await db
      .deleteFrom('searches')
      .where('workspace_id', '=', workspaceId)
      .executeTakeFirstOrThrow()
    return numDeletedRows > 0n
  }
  const { numUpdatedRows } = await db
    .updateTable('searches')
    .set({ encrypted_text: null })
    .where('workspace_id', '=', workspaceId)
    .where('encrypted_text', 'is not', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Days, both inclusive. */
export interface Days {
  from: number
  to: number
}

export type UsageCursor = Pick<UsageRow, 'day' | 'api' | 'endpoint' | 'account'>

/** Lists usage after `after`, in order of day, API, endpoint and account. */
export const listUsage = (
  db: Db,
  workspaceId: string,
  { from, to }: Days,
  after: UsageCursor | undefined,
  count: number,
): Promise<UsageRow[]> => {
  let query = db
    .selectFrom('usage')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('day', '>=', from)
    .where('day', '<=', to)
  if (after)
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(
        refTuple('day', 'api', 'endpoint', 'account'),
        '>',
        tuple(after.day, after.api, after.endpoint, after.account),
      ),
    )
  return query.orderBy('day').orderBy('api').orderBy('endpoint').orderBy('account').limit(count).execute()
}

/** Lists the numbers of one account, newest first, at most 10,000. */
export const listAccountUsage = (db: Db, account: string): Promise<UsageRow[]> =>
  db
    .selectFrom('usage')
    .selectAll()
    .where('account', '=', account)
    .orderBy('day', 'desc')
    .limit(10_000)
    .execute()

/** Searches of one day that count in a list. With more, a page of 30 days would block the thread for seconds. */
const searchesOfDayMax = 1000

export type FoundSearch = Pick<
  SearchRow,
  'day' | 'api' | 'parameters' | 'encrypted_text' | 'queries' | 'empty'
>

/**
 * Lists the most frequent searches over some days, or with `order: 'empty'` the most frequent ones without results. A search counts on the
 * days when it is among the 1,000 most frequent. `day` is one of these days, with its text.
 */
export const listSearches = async (
  db: Db,
  workspaceId: string,
  { from, to }: Days,
  { count, order = 'queries', api }: { count: number; order?: 'queries' | 'empty'; api?: string | undefined },
): Promise<FoundSearch[]> => {
  const stored = db
    .selectFrom('searches')
    .where('workspace_id', '=', workspaceId)
    .where('day', '>=', from)
    .where('day', '<=', to)
  const sums = new Map<string, FoundSearch>()
  for (const { day } of await stored.select('day').distinct().execute()) {
    let ofDay = stored.where('day', '=', day).where(order, '>', 0)
    if (api !== undefined) ofDay = ofDay.where('api', '=', api)
    const rows = await ofDay
      .select(['day', 'api', 'parameters', 'encrypted_text', 'queries', 'empty'])
      .orderBy(order, 'desc')
      .limit(searchesOfDayMax)
      .execute()
    for (const row of rows) {
      const key = `${row.api} ${row.parameters}`
      const sum = sums.get(key)
      sums.set(key, sum ? addSearch(sum, row) : row)
    }
  }
  return [...sums.values()]
    .toSorted((a, b) => b[order] - a[order] || (a.parameters < b.parameters ? -1 : 1))
    .slice(0, count)
}

const addSearch = (sum: FoundSearch, row: FoundSearch): FoundSearch => ({
  ...(sum.encrypted_text === null ? row : sum),
  queries: sum.queries + row.queries,
  empty: sum.empty + row.empty,
})

/**
 * Removes rows past each workspace's retention, searches in a form no longer allowed, and all but the most
 * frequent of each day.
 */
export const pruneUsage = async (db: Db): Promise<void> => {
  const workspaces = await db.selectFrom('workspaces').select(['id', 'definition_json']).execute()
  for (const { id, definition_json } of workspaces) {
    const definition = parseDefinition(definition_json)
    const first = toDay(Date.now()) - describeQueryLog(definition).keepDays
    await db.deleteFrom('usage').where('workspace_id', '=', id).where('day', '<', first).execute()
    await pruneUsageCounts(db, id, first * dayMs)
    const searches = db.deleteFrom('searches').where('workspace_id', '=', id)
    await searches.where('day', '<', first).execute()
    // Beginnings of texts that people went on typing.
    await searches.where('queries', '<=', 0).execute()
    await removeDisallowedSearches(db, id, definition)
    for (const { day } of await crowdedDays(db, id)) {
      const last = await db
        .selectFrom('searches')
        .select('queries')
        .where('workspace_id', '=', id)
        .where('day', '=', day)
        .orderBy('queries', 'desc')
        .offset(searchesADayMax)
        .limit(1)
        .executeTakeFirst()
      if (last) await searches.where('day', '=', day).where('queries', '<=', last.queries).execute()
    }
  }
}

const crowdedDays = (db: Db, workspaceId: string): Promise<{ day: number }[]> =>
  db
    .selectFrom('searches')
    .select('day')
    .where('workspace_id', '=', workspaceId)
    .groupBy('day')
    .having(({ fn }) => fn.countAll(), '>', searchesADayMax)
    .execute()
