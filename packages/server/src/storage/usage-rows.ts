/** How rows of usage are written. */
import type { Db } from './db.ts'

/** Rows per statement. Larger statements would block the thread for longer, and databases limit their parameters. */
const rowsWrittenAtOnce = 200

/** Yields rows in batches, in the order of their key. All nodes lock rows in the same order, which prevents deadlocks. */
export const sortedBatches = function* <T>(
  rows: readonly T[],
  key: readonly (keyof T)[],
): Iterable<readonly T[]> {
  const sorted = rows.toSorted((a, b) => {
    const column = key.find(keyColumn => a[keyColumn] !== b[keyColumn])
    return column === undefined ? 0 : a[column] < b[column] ? -1 : 1
  })
  for (let start = 0; start < sorted.length; start += rowsWrittenAtOnce)
    yield sorted.slice(start, start + rowsWrittenAtOnce)
}

/** Leaves out the rows of workspaces that no longer exist. */
export const dropRemovedWorkspaces = async <Row extends { workspace_id: string }>(
  db: Db,
  rows: readonly Row[],
): Promise<Row[]> => {
  const ids = [...new Set(rows.map(row => row.workspace_id))]
  if (ids.length === 0) return []
  const existingRows = await db.selectFrom('workspaces').select('id').where('id', 'in', ids).execute()
  const existingIds = new Set(existingRows.map(({ id }) => id))
  return rows.filter(row => existingIds.has(row.workspace_id))
}
