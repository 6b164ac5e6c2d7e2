/** Searches that wait for a write, for workspaces that keep them (workspace-file.md, `queryLog`). They have no caller. */
import { setImmediate } from 'node:timers/promises'
import { type StackedEndpoint, writeStack } from '@querent/contract/paths'
import { type SearchCipher, searchTextCharsMax } from '#storage/search-cipher'
import { describeQueryLog, type SearchRow } from '#storage/usage'
import type { WorkspaceRow } from '#storage/workspaces'
import { getOrCreate } from './get-or-create.ts'
import { toWellFormed } from './live-requests.ts'

export interface Search {
  workspace: WorkspaceRow
  day: number
  api: string
  stack: readonly StackedEndpoint[]
  isEmpty: boolean
  /** -1 takes back a search that was the beginning of another one. */
  times: 1 | -1
}

/** Searches that are summarized in one turn of the event loop. */
const searchesPerTurn = 500

/** Makes rows of searches, with the keyed hash of their path and, if the workspace keeps it, the encrypted path. */
export const summarizeSearches = async (
  searches: readonly Search[],
  cipher: SearchCipher,
): Promise<SearchRow[]> => {
  const rows = new Map<string, SearchRow>()
  for (const [index, { workspace, day, api, stack, isEmpty, times }] of searches.entries()) {
    if (index % searchesPerTurn === searchesPerTurn - 1) await setImmediate()
    const path = writeStack(stack.map(toWellFormed))
    const isFull = describeQueryLog(workspace.definition).parameters === 'full'
    const row = getOrCreate(rows, `${workspace.id} ${day} ${api} ${isFull} ${path}`, () => {
      const place = { workspaceId: workspace.id, day }
      return {
        workspace_id: workspace.id,
        day,
        api,
        parameters: cipher.hash(workspace.id, path),
        encrypted_text: isFull ? cipher.encrypt(place, path.slice(0, searchTextCharsMax)) : null,
        queries: 0,
        empty: 0,
      }
    })
    row.queries += times
    if (isEmpty) row.empty += times
  }
  return [...rows.values()].filter(({ queries, empty }) => queries !== 0 || empty !== 0)
}
