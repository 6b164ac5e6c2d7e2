/**
 * Counts queries, refusals, tokens and imports of workspaces in bounded memory, and writes the counts in batches. If the workspace allows
 * it, search terms are stored too, without the caller (query-service.md, Limits and usage; workspace-file.md, `queryLog`).
 */
import { slugPattern } from '@querent/contract/manage'
import type { StackedEndpoint } from '@querent/contract/paths'
import { namePattern } from '@querent/contract/workspace-names'
import { type BatchedWriter, openBatchedWriter } from '#memory/batched-writer'
import type { Db, Storage } from '#storage/db'
import { createSearchCipher, type SearchCipher } from '#storage/search-cipher'
import { describeQueryLog } from '#storage/usage'
import type { UsageCountRow } from '#storage/usage-counts'
import { findWorkspaces, type WorkspaceRow } from '#storage/workspaces'
import { countsMax, createEventCounts, type EventCounts } from './event-counts.ts'
import { createLiveRequests, type LiveRequests } from './live-requests.ts'
import { createQueryFigures, type QueryOutcome } from './query-figures.ts'
import { type Search, summarizeSearches } from './search-buffer.ts'
import { type CountedSearch, createTypedSearches } from './typed-searches.ts'
import { countRows, mergeBatches, type UsageBatch, writeBatch } from './usage-batch.ts'

export interface QueryEvent extends Omit<QueryOutcome, 'workspaceId' | 'endpoint'> {
  workspace: WorkspaceRow
  /** The first endpoint of the stack, or the facet whose options were requested. '' if that endpoint doesn't exist. */
  endpoint: string
  stack: readonly StackedEndpoint[]
  /** Sentence of the error. */
  failureMessage?: string | undefined
  /** IP address of an anonymous client, which stays in memory. */
  address: string
  /** The queries of a batch have one. */
  requestId: string
  /** The latest requests list it, and no figure counts it: clients choose its name. */
  isApiUnknown?: boolean | undefined
}

/** The recording functions do no I/O. */
export interface UsageLog extends BatchedWriter {
  record(event: QueryEvent): void
  /** Counts a refused request. `api`: '' if the path names none. Unknown workspaces and APIs are not counted by their name. */
  recordRefusal(slug: string, api: string, check: string): void
  /** Counts an issued access token, or with `token-error` a rejected token request. `workspaceId`: null for the server's own clients. */
  recordToken(kind: 'token' | 'token-error', workspaceId: string | null, detail: string): void
  /** Counts the documents of an import that has ended. */
  recordImport(workspaceId: string, collection: string, documents: ImportedDocuments): void
  /** The latest queries, in memory. */
  live: Omit<LiveRequests, 'record'>
  /** Decrypts the text of a stored search. */
  decryptSearch: SearchCipher['decrypt']
  /** Called with the number of queries that could not be counted. */
  onLoss: (loss: { queries: number; err?: unknown }) => void
}

export interface ImportedDocuments {
  accepted: number
  rejected: number
}

export type TokenUsage = Pick<UsageLog, 'recordToken'>

/** Searches that may wait for a write. Later ones are not stored. */
const searchesMax = 10_000
/** Distinct counts of searches, by workspace, hour, API and endpoint. */
const searchCountsMax = 20_000
const writeEveryMs = 5_000
const slugFormat = new RegExp(slugPattern)
const apiFormat = new RegExp(namePattern)

/** `key` hashes and encrypts searches. */
export const openUsageLog = (storage: Storage, key: Buffer): UsageLog => {
  const cipher = createSearchCipher(key)
  const figures = createQueryFigures()
  const events = createEventCounts()
  const refusals = createEventCounts()
  const searchCounts = createEventCounts(searchCountsMax)
  const typedSearches = createTypedSearches()
  const live = createLiveRequests(cipher)
  let searches: Search[] = []
  let droppedCount = 0
  /** Rows of failed writes. */
  let unwritten: UsageBatch = { usage: [], counts: [], searches: [] }
  /** Refusals whose workspaces could not be looked up. */
  let unresolved: UsageCountRow[] = []

  const takeBatch = async (): Promise<UsageBatch> => {
    const { usage, counts } = figures.take()
    counts.push(...events.take(), ...searchCounts.take())
    const refusalRows = [...unresolved, ...refusals.take()]
    const searchBatch = searches
    searches = []
    unresolved = []
    try {
      counts.push(...(await resolveRefusals(storage.db, refusalRows)))
    } catch {
      unresolved = refusalRows.slice(0, countsMax)
    }
    return mergeBatches(unwritten, { usage, counts, searches: await summarizeSearches(searchBatch, cipher) })
  }
  const write = async () => {
    const droppedQueries = droppedCount
    droppedCount = 0
    if (droppedQueries > 0) usageLog.onLoss({ queries: droppedQueries })
    const batch = await takeBatch()
    unwritten = { usage: [], counts: [], searches: [] }
    if (countRows(batch) === 0) return
    try {
      unwritten = (await writeBatch(storage, batch)) ?? unwritten
    } catch (err) {
      // Queries must not fail for that.
      usageLog.onLoss({ queries: batch.usage.reduce((sum, row) => sum + row.queries, 0), err })
    }
  }
  const usageLog: UsageLog = {
    onLoss: () => {},
    live,
    decryptSearch: cipher.decrypt,
    record(event) {
      const now = Date.now()
      const { workspace, api, endpoint, account, address, requestId, stack, total, facet, failure, ms } =
        event
      const outcome = { api, endpoint, account, total, facet, failure, ms }
      const isCounted = event.isApiUnknown || figures.add({ workspaceId: workspace.id, ...outcome }, now)
      if (!isCounted) droppedCount += 1
      const { hasMoreThanTotal, failureMessage: message } = event
      live.record(workspace, stack, { ...outcome, hasMoreThanTotal, requestId, message }, now)
      if (total === undefined || facet !== undefined || stack.length === 0) return
      const caller = account === '' ? address : account
      const search = { workspace, api, endpoint, stack, isEmpty: total === 0, caller, requestId }
      const newSearches = typedSearches.add(search, now)
      for (const newSearch of newSearches) countSearch(searchCounts, newSearch)
      if (describeQueryLog(workspace.definition).parameters === 'off') return
      if (searches.length >= searchesMax) {
        droppedCount += 1
        return
      }
      searches.push(...newSearches)
    },
    recordRefusal(slug, api, detail) {
      if (slugFormat.test(slug))
        refusals.add(slug, { kind: 'refusal', api: apiFormat.test(api) ? api : '', name: '', detail }, 1)
    },
    recordToken(kind, workspaceId, detail) {
      if (workspaceId !== null) events.add(workspaceId, { kind, api: '', name: '', detail }, 1)
    },
    recordImport(workspaceId, collection, { accepted, rejected }) {
      const event = { kind: 'import', api: '', name: collection } as const
      events.add(workspaceId, { ...event, detail: 'accepted' }, accepted)
      events.add(workspaceId, { ...event, detail: 'rejected' }, rejected)
    },
    ...openBatchedWriter({
      everyMs: writeEveryMs,
      hasPending: () =>
        !figures.isEmpty() ||
        !events.isEmpty() ||
        !refusals.isEmpty() ||
        unresolved.length > 0 ||
        droppedCount > 0 ||
        countRows(unwritten) > 0,
      write,
    }),
  }
  return usageLog
}

const countSearch = (
  counts: EventCounts,
  { workspace, api, endpoint, isEmpty, isPart, sentAt, times }: CountedSearch,
): void => {
  if (isPart) return
  const detail = isEmpty ? 'empty' : 'found'
  counts.add(workspace.id, { kind: 'search', api, name: endpoint, detail }, times, sentAt)
}

/** Puts the id of the workspace into rows that have its slug. Leaves out unknown workspaces, and the names of unknown APIs. */
const resolveRefusals = async (db: Db, rows: readonly UsageCountRow[]): Promise<UsageCountRow[]> => {
  const workspaces = await findWorkspaces(db, [...new Set(rows.map(row => row.workspace_id))])
  const bySlug = new Map(workspaces.map(workspace => [workspace.slug, workspace]))
  return rows.flatMap(row => {
    const workspace = bySlug.get(row.workspace_id)
    if (!workspace) return []
    const isKnown = Object.hasOwn(workspace.definition.apis ?? {}, row.api)
    return [{ ...row, workspace_id: workspace.id, api: isKnown ? row.api : '' }]
  })
}
