/** Rows of usage that are written together, in one transaction. */
import type { Storage } from '#storage/db'
import { addSearches, addUsage, type SearchRow, searchKey, type UsageRow, usageKey } from '#storage/usage'
import { addUsageCounts, startOfUnit, type UsageCountRow, usageCountKey } from '#storage/usage-counts'

export interface UsageBatch {
  usage: UsageRow[]
  /** By hour only. */
  counts: UsageCountRow[]
  searches: SearchRow[]
}

/** Rows of a failed write that are kept for the next one. */
const keptRowsMax = 50_000

/**
 * Writes a batch. If the write fails before anything can have been stored, returns the batch for the next write. Throws if
 * it is unknown whether the batch was stored: writing it again could count twice.
 */
export const writeBatch = async (storage: Storage, batch: UsageBatch): Promise<UsageBatch | undefined> => {
  let isCommitting = false
  try {
    await storage.write(async ({ db }) => {
      await addUsage(db, batch.usage)
      await addUsageCounts(db, addDays(batch.counts))
      await addSearches(db, storage.kind, batch.searches)
      isCommitting = true
    })
    return undefined
  } catch (error) {
    if (isCommitting || countRows(batch) > keptRowsMax) throw error
    return batch
  }
}

export const countRows = ({ usage, counts, searches }: UsageBatch): number =>
  usage.length + counts.length + searches.length

/** Adds the rows of two batches, so that each key is there once. */
export const mergeBatches = (a: UsageBatch, b: UsageBatch): UsageBatch => ({
  usage: mergeRows([...a.usage, ...b.usage], usageKey, addUsageRows),
  counts: mergeRows([...a.counts, ...b.counts], usageCountKey, addCounts),
  searches: mergeRows([...a.searches, ...b.searches], searchKey, (row, other) => ({
    ...row,
    queries: row.queries + other.queries,
    empty: row.empty + other.empty,
    encrypted_text: row.encrypted_text ?? other.encrypted_text,
  })),
})

const addUsageRows = (row: UsageRow, other: UsageRow): UsageRow => ({
  ...row,
  queries: row.queries + other.queries,
  failed: row.failed + other.failed,
  empty: row.empty + other.empty,
  total_ms: row.total_ms + other.total_ms,
  slowest_ms: Math.max(row.slowest_ms, other.slowest_ms),
  under_5_ms: row.under_5_ms + other.under_5_ms,
  under_20_ms: row.under_20_ms + other.under_20_ms,
  under_100_ms: row.under_100_ms + other.under_100_ms,
  under_500_ms: row.under_500_ms + other.under_500_ms,
  under_2000_ms: row.under_2000_ms + other.under_2000_ms,
})

const addCounts = (row: UsageCountRow, other: UsageCountRow): UsageCountRow => ({
  ...row,
  count: row.count + other.count,
})

/** Adds the rows of days to those of hours. */
const addDays = (hours: readonly UsageCountRow[]): UsageCountRow[] => {
  const days = hours.map(row => ({
    ...row,
    unit: 'day' as const,
    start: startOfUnit('day', row.start),
  }))
  return [...hours, ...mergeRows(days, usageCountKey, addCounts)]
}

const mergeRows = <Row>(
  rows: readonly Row[],
  key: readonly (keyof Row)[],
  add: (row: Row, other: Row) => Row,
): Row[] => {
  const merged = new Map<string, Row>()
  for (const row of rows) {
    const text = JSON.stringify(key.map(column => row[column]))
    const mergedRow = merged.get(text)
    merged.set(text, mergedRow === undefined ? row : add(mergedRow, row))
  }
  return [...merged.values()]
}
