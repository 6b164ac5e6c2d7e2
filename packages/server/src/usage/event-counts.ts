/** Counts of refusals, tokens and imports in bounded memory, by hour. */
import { startOfUnit, type UsageCountRow } from '#storage/usage-counts'

type Event = Pick<UsageCountRow, 'kind' | 'api' | 'name' | 'detail'>

export interface EventCounts {
  /** `workspace`: its id, or another name of it that is replaced before the rows are written. */
  add(workspace: string, event: Event, count: number, now?: number): void
  isEmpty(): boolean
  /** Removes all counts and returns them as rows by hour. */
  take(): UsageCountRow[]
}

/** Distinct counts by default. Events that need another one are not counted: refused clients may name any number of workspaces and APIs. */
export const countsMax = 1000

export const createEventCounts = (rowsMax = countsMax): EventCounts => {
  let rows = new Map<string, UsageCountRow>()
  return {
    add(workspace, { kind, api, name, detail }, count, now = Date.now()) {
      if (count === 0) return
      const start = startOfUnit('hour', now)
      const key = `${start} ${kind} ${workspace} ${api} ${name} ${detail}`
      const row = rows.get(key)
      if (row) row.count += count
      else if (rows.size < rowsMax)
        rows.set(key, { workspace_id: workspace, unit: 'hour', start, kind, api, name, detail, count })
    },
    isEmpty: () => rows.size === 0,
    take() {
      const takenRows = [...rows.values()].filter(({ count }) => count !== 0)
      rows = new Map()
      return takenRows
    },
  }
}
