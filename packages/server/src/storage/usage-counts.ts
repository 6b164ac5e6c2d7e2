/** Counts of a workspace by hour and by day. All nodes and threads add to the same rows, so the sums are exact. */
import { type Expression, sql } from 'kysely'
import type { Db } from './db.ts'
import type { Tables } from './tables.ts'
import { dropRemovedWorkspaces, sortedBatches } from './usage-rows.ts'

export type UsageCountRow = Tables['usage_counts']
export type UsageUnit = UsageCountRow['unit']

export const unitMs = { hour: 60 * 60 * 1000, day: 24 * 60 * 60 * 1000 } as const satisfies Record<
  UsageUnit,
  number
>
/** Returns the start of the hour or day (UTC) of a time. */
export const startOfUnit = (unit: UsageUnit, ms: number): number => ms - (ms % unitMs[unit])

/** Hours are kept for 3 days, or as long as the workspace keeps its usage. */
export const hourRetentionMs = 3 * unitMs.day

export const usageCountKey = ['workspace_id', 'unit', 'start', 'kind', 'api', 'name', 'detail'] as const

/** Adds to the stored counts; each key once. Skips removed workspaces. */
export const addUsageCounts = async (db: Db, counts: readonly UsageCountRow[]): Promise<void> => {
  for (const rows of sortedBatches(await dropRemovedWorkspaces(db, counts), usageCountKey))
    await db
      .insertInto('usage_counts')
      .values([...rows])
      .onConflict(c =>
        c.columns([...usageCountKey]).doUpdateSet(({ ref }) => ({
          count: sql<number>`${ref('usage_counts.count')} + ${ref('excluded.count')}`,
        })),
      )
      .execute()
}

/** Hours or days, both inclusive, by their start. */
export interface UsagePeriod {
  unit: UsageUnit
  from: number
  to: number
}

/** The counts of one API, or of the queries of one endpoint. Counts without an API are not filtered. */
export interface UsageFilter {
  api?: string | undefined
  endpoint?: string | undefined
}

export type CountAtTime = Pick<UsageCountRow, 'start' | 'kind' | 'detail' | 'count'>

/** Lists counts by hour or day. */
export const listCountsOverTime = (
  db: Db,
  workspaceId: string,
  period: UsagePeriod,
  { api, endpoint }: UsageFilter,
): Promise<CountAtTime[]> => {
  let counts = selectCounts(db, workspaceId, period)
  if (api !== undefined)
    counts = counts.where(({ eb, or }) => or([eb('kind', 'in', kindsWithoutApi), eb('api', '=', api)]))
  if (endpoint !== undefined)
    counts = counts.where(({ eb, or }) =>
      or([eb('kind', 'not in', kindsOfQueries), eb('name', '=', endpoint)]),
    )
  return counts
    .select(({ fn }) => ['start', 'kind', 'detail', sumCounts(fn.sum('count'))])
    .groupBy(['start', 'kind', 'detail'])
    .execute()
}

const kindsOfQueries = ['query', 'search', 'duration'] as const
const kindsWithoutApi = ['token', 'token-error', 'import'] as const

export type CountByName = Pick<UsageCountRow, 'kind' | 'api' | 'name' | 'detail' | 'count'>

/** Lists the counts of a whole period by API and name. */
export const listCountsByName = (db: Db, workspaceId: string, period: UsagePeriod): Promise<CountByName[]> =>
  selectCounts(db, workspaceId, period)
    .select(({ fn }) => ['kind', 'api', 'name', 'detail', sumCounts(fn.sum('count'))])
    .groupBy(['kind', 'api', 'name', 'detail'])
    .execute()

const selectCounts = (db: Db, workspaceId: string, { unit, from, to }: UsagePeriod) =>
  db
    .selectFrom('usage_counts')
    .where('workspace_id', '=', workspaceId)
    .where('unit', '=', unit)
    .where('start', '>=', from)
    .where('start', '<=', to)

/** PostgreSQL's sum of bigint is numeric, which the driver returns as text. */
const sumCounts = (sum: Expression<unknown>) => sql<number>`cast(${sum} as bigint)`.as('count')

/** Removes days before `firstDay` (its start), and hours after 3 days at the latest. */
export const pruneUsageCounts = async (db: Db, workspaceId: string, firstDay: number): Promise<void> => {
  const firstHour = Math.max(firstDay, startOfUnit('hour', Date.now() - hourRetentionMs))
  for (const [unit, first] of [
    ['day', firstDay],
    ['hour', firstHour],
  ] as const)
    await db
      .deleteFrom('usage_counts')
      .where('workspace_id', '=', workspaceId)
      .where('unit', '=', unit)
      .where('start', '<', first)
      .execute()
}
