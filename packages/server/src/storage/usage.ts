/** Usage statistics of the query service, added up by day and pruned as the workspace configures. */
import type { Definition } from '@querent/contract/workspace-file'
import { sql } from 'kysely'
import type { Db } from './db.ts'
import type { Tables } from './tables.ts'

export type UsageRow = Tables['usage']
export type SearchRow = Tables['searches']

export const dayMs = 24 * 60 * 60 * 1000
/** Days since 1970, UTC. */
export const toDay = (ms: number): number => Math.floor(ms / dayMs)

/** Prefix of `parameters` if only a hash is stored. */
export const hashPrefix = 'hmac-sha256:'
const keepDaysDefault = 30
/** Most frequent searches kept for each workspace and day. */
const searchesADayMax = 10_000
/** Rows per statement, because databases limit its parameters. */
const rowsWrittenAtOnce = 500

const usageKey = ['workspace_id', 'day', 'api', 'endpoint', 'account'] as const
const searchKey = ['workspace_id', 'day', 'api', 'parameters'] as const
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

/** All nodes lock rows in the same order, which prevents deadlocks. */
const sortedBatches = function* <T>(rows: readonly T[], key: readonly (keyof T)[]): Iterable<readonly T[]> {
  const sorted = rows.toSorted((a, b) => {
    const column = key.find(keyColumn => a[keyColumn] !== b[keyColumn])
    return column === undefined ? 0 : a[column] < b[column] ? -1 : 1
  })
  for (let start = 0; start < sorted.length; start += rowsWrittenAtOnce)
    yield sorted.slice(start, start + rowsWrittenAtOnce)
}

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

/** Adds to the stored searches; each key once. */
export const addSearches = async (db: Db, searches: readonly SearchRow[]): Promise<void> => {
  for (const rows of sortedBatches(await dropRemovedWorkspaces(db, searches), searchKey))
    await db
      .insertInto('searches')
      .values([...rows])
      .onConflict(c =>
        c.columns([...searchKey]).doUpdateSet(({ ref }) => ({
          queries: sql<number>`${ref('searches.queries')} + ${ref('excluded.queries')}`,
          empty: sql<number>`${ref('searches.empty')} + ${ref('excluded.empty')}`,
        })),
      )
      .execute()
}

const dropRemovedWorkspaces = async <Row extends { workspace_id: string }>(
  db: Db,
  rows: readonly Row[],
): Promise<Row[]> => {
  const ids = [...new Set(rows.map(row => row.workspace_id))]
  if (ids.length === 0) return []
  const existingRows = await db.selectFrom('workspaces').select('id').where('id', 'in', ids).execute()
  const existingIds = new Set(existingRows.map(({ id }) => id))
  return rows.filter(row => existingIds.has(row.workspace_id))
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

/** Lists the most frequent searches over some days. */
export const listSearches = (
  db: Db,
  workspaceId: string,
  { from, to }: Days,
  count: number,
): Promise<Pick<SearchRow, 'api' | 'parameters' | 'queries' | 'empty'>[]> =>
  db
    .selectFrom('searches')
    .select(({ fn }) => [
      'api',
      'parameters',
      sql<number>`cast(${fn.sum('queries')} as bigint)`.as('queries'),
      sql<number>`cast(${fn.sum('empty')} as bigint)`.as('empty'),
    ])
    .where('workspace_id', '=', workspaceId)
    .where('day', '>=', from)
    .where('day', '<=', to)
    .groupBy(['api', 'parameters'])
    .orderBy('queries', 'desc')
    .orderBy('parameters')
    .limit(count)
    .execute()

/**
 * Removes rows past each workspace's retention, searches in a form no longer allowed, and all but the most
 * frequent of each day.
 */
export const pruneUsage = async (db: Db): Promise<void> => {
  const workspaces = await db.selectFrom('workspaces').select(['id', 'definition_json']).execute()
  for (const { id, definition_json } of workspaces) {
    // Written only by `saveDefinition`.
    const { settings } = JSON.parse(definition_json) as Definition
    const { keep = `${keepDaysDefault}d`, parameters = 'off' } = settings?.queryLog ?? {}
    const first = toDay(Date.now()) - Number.parseInt(keep, 10)
    await db.deleteFrom('usage').where('workspace_id', '=', id).where('day', '<', first).execute()
    const searches = db.deleteFrom('searches').where('workspace_id', '=', id)
    await searches.where('day', '<', first).execute()
    if (parameters === 'off') await searches.execute()
    if (parameters === 'hashed') await searches.where('parameters', 'not like', `${hashPrefix}%`).execute()
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
