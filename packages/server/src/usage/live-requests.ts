/**
 * The latest queries of each workspace, in bounded memory and nowhere else. Their text is kept as far as `queryLog` allowed it when they
 * came (workspace-file.md), and shown as far as it allows now.
 */
import { liveRequestsMax } from '@querent/contract/manage'
import { type StackedEndpoint, writeStack } from '@querent/contract/paths'
import { LRUCache } from 'lru-cache'
import { type SearchCipher, searchTextCharsMax } from '#storage/search-cipher'
import { describeQueryLog } from '#storage/usage'
import type { WorkspaceRow } from '#storage/workspaces'
import type { QueryOutcome } from './query-figures.ts'

type Form = ReturnType<typeof describeQueryLog>['parameters']

export interface LiveQuery extends Omit<QueryOutcome, 'workspaceId'> {
  at: number
  /** The path of its endpoints, its hash, or nothing. */
  parameters: string | null
  /** The ID of a failed query. */
  requestId?: string | undefined
  /** Sentence of the error, which may name texts of the query: undefined where these may not be kept or shown. */
  message?: string | undefined
}

interface StoredQuery extends LiveQuery {
  form: Form
}

/** Queries of one workspace on their way from another thread. */
export type LiveQueries = [workspaceId: string, queries: readonly StoredQuery[]][]

export interface LiveRequests {
  /** `now`: milliseconds since 1970. */
  record(
    workspace: WorkspaceRow,
    stack: readonly StackedEndpoint[],
    outcome: LiveQueryOutcome,
    now: number,
  ): void
  /** Returns the newest first. */
  list(workspace: WorkspaceRow): LiveQuery[]
  /** Removes all queries and returns them, for another thread to {@link add}. */
  take(): LiveQueries
  add(queries: LiveQueries): void
}
type LiveQueryOutcome = Omit<QueryOutcome, 'workspaceId'> & Pick<LiveQuery, 'requestId' | 'message'>

/** Workspaces in memory, the last used ones. With the longest texts, they take about 60 MB. */
export const liveWorkspacesMax = 100

export const createLiveRequests = (cipher: Pick<SearchCipher, 'hash'>): LiveRequests => {
  const workspaces = new LRUCache<string, StoredQuery[]>({ max: liveWorkspacesMax })
  const addTo = (workspaceId: string, queries: readonly StoredQuery[]): void => {
    const stored = workspaces.get(workspaceId)
    if (!stored) return void workspaces.set(workspaceId, [...queries])
    stored.push(...queries)
    // Not on each query.
    if (stored.length > 2 * liveRequestsMax) stored.splice(0, stored.length - liveRequestsMax)
  }
  return {
    record(workspace, stack, { requestId, message, ...outcome }, at) {
      const form = describeQueryLog(workspace.definition).parameters
      const parameters = writeParameters(form, workspace.id, stack, cipher)
      // The name of an unknown API is a part of the URL.
      const api = outcome.failure === 'no-such-api' ? copy(outcome.api) : outcome.api
      const query = { ...outcome, api, at, parameters, form }
      const isKept = form === 'full' && message !== undefined
      const failed = { ...query, requestId, message: isKept ? copy(message) : undefined }
      addTo(workspace.id, [outcome.failure === undefined ? query : failed])
    },
    list(workspace) {
      const allowed = describeQueryLog(workspace.definition).parameters
      const queries = workspaces.get(workspace.id)?.slice(-liveRequestsMax) ?? []
      return queries
        .sort((one, other) => other.at - one.at)
        .map(({ form, parameters, ...query }) => ({
          ...query,
          parameters: isAllowed(form, allowed) ? parameters : null,
          message: isAllowed(form, allowed) ? query.message : undefined,
        }))
    },
    take() {
      const queries = [...workspaces.entries()].map(([id, list]): LiveQueries[number] => [
        id,
        list.slice(-liveRequestsMax),
      ])
      workspaces.clear()
      return queries
    },
    add(queries) {
      for (const [workspaceId, list] of queries) addTo(workspaceId, list)
    },
  }
}

const writeParameters = (
  form: Form,
  workspaceId: string,
  stack: readonly StackedEndpoint[],
  { hash }: Pick<SearchCipher, 'hash'>,
): string | null => {
  if (form === 'off' || stack.length === 0) return null
  const path = writeStack(stack.map(toWellFormed))
  return form === 'full' ? copy(path) : hash(workspaceId, path)
}

/** A copy: a part of a string would keep the whole URL in memory. */
const copy = (text: string): string => Buffer.from(text.slice(0, searchTextCharsMax)).toString()

const isAllowed = (form: Form, allowed: Form): boolean =>
  allowed === 'full' || (allowed === 'hashed' && form === 'hashed')

/** Texts of URLs may contain half of a surrogate pair, which `writeStack` rejects. */
export const toWellFormed = ({ endpoint, parameters }: StackedEndpoint): StackedEndpoint => ({
  endpoint: endpoint.toWellFormed(),
  parameters: parameters.map(({ name, value }) => ({
    name: name.toWellFormed(),
    value: value.toWellFormed(),
  })),
})
