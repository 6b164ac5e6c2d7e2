/** Finds the results that a rule places first. Loaded after the results: the workspace file takes code that they do not need. */
import type { QueryClient } from '@tanstack/react-query'
import { readWorkspaceFile } from '#api/workspace-file-edit.ts'
import { findIds, readCuration } from './curate/curation-draft.ts'
import type { TextQuery } from './text-query.ts'

/** Searches of that time share one reading of the file. An edit in this tab reads it anew. */
const freshMs = 60_000

interface RankedQuery {
  workspace: string
  api: string
  query: TextQuery
  /** The URIs of the results. */
  uris: string[]
}

/** Returns the URIs of the results that a rule places first. */
export const readPinnedUris = async (
  cache: QueryClient,
  { workspace, api, query, uris }: RankedQuery,
): Promise<readonly string[]> => {
  const { file } = await cache.fetchQuery({ ...readWorkspaceFile(workspace), staleTime: freshMs })
  const ids = findIds(file, api, query.endpoint)
  return ids ? readCuration(file.apis?.[api]?.curation ?? [], query, uris, ids).pinned : []
}
