/**
 * Counts queries in bounded memory, and writes the figures in batches. If the workspace allows it, search terms are stored too, without the
 * caller (query-service.md, In between; workspace-file.md, `queryLog`).
 */
import { createHmac } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { type StackedEndpoint, writeStack } from '@querent/contract/paths'
import { type BatchedWriter, openBatchedWriter } from '#memory/batched-writer'
import type { Storage } from '#storage/db'
import { addSearches, addUsage, hashPrefix, type SearchRow, toDay, type UsageRow } from '#storage/usage'
import type { WorkspaceRow } from '#storage/workspaces'

export interface QueryEvent {
  workspace: WorkspaceRow
  api: string
  /** The first endpoint of the stack, or the facet whose options were requested. '' if that endpoint doesn't exist. */
  endpoint: string
  /** Id of a user or Client ID; '' for a public API. */
  account: string
  stack: readonly StackedEndpoint[]
  /** Number of results. Undefined if the client had them already, or the query failed. */
  total: number | undefined
  failed: boolean
  ms: number
}

export interface UsageLog extends BatchedWriter {
  /** Does no I/O. */
  record(event: QueryEvent): void
  /** Called with the number of queries that could not be counted. */
  onLoss: (loss: { queries: number; err?: unknown }) => void
}

/** Distinct figures that may wait for a write. Queries that need another figure are not counted. */
const figuresMax = 20_000
/** Searches that may wait for a write. Later ones are not stored. */
const searchesMax = 10_000
/** Longest path of a search. */
const parametersCharsMax = 1024
const writeEveryMs = 5_000
/** Searches that are summarized in one turn of the event loop. */
const searchesPerTurn = 500

interface Search {
  workspace: WorkspaceRow
  day: number
  api: string
  stack: readonly StackedEndpoint[]
  isEmpty: boolean
}

/** `key` hashes parameters for workspaces that keep them hashed. */
export const openUsageLog = (storage: Storage, key: Buffer): UsageLog => {
  let figures: Figures = new Map()
  let figuresCount = 0
  let searches: Search[] = []
  let droppedCount = 0

  const getUsageRow = (
    { workspace, api, endpoint, account }: QueryEvent,
    day: number,
  ): UsageRow | undefined => {
    const byAccount = getOrCreate(
      getOrCreate(getOrCreate(getOrCreate(figures, workspace.id, createMap), day, createMap), api, createMap),
      endpoint,
      createMap,
    )
    const existingRow = byAccount.get(account)
    if (existingRow || figuresCount >= figuresMax) return existingRow
    const row = { workspace_id: workspace.id, day, api, endpoint, account, ...zeroFigures }
    byAccount.set(account, row)
    figuresCount += 1
    return row
  }

  const write = async () => {
    const [rows, batch, droppedQueries] = [listRows(figures), searches, droppedCount]
    figures = new Map()
    figuresCount = 0
    searches = []
    droppedCount = 0
    if (droppedQueries > 0) usageLog.onLoss({ queries: droppedQueries })
    try {
      for (const row of rows) row.total_ms = Math.round(row.total_ms)
      await addUsage(storage.db, rows)
      await addSearches(storage.db, await summarizeSearches(batch, key))
    } catch (err) {
      // A failed write loses some figures. Queries must not fail for that.
      usageLog.onLoss({ queries: rows.reduce((sum, row) => sum + row.queries, 0), err })
    }
  }
  const usageLog: UsageLog = {
    onLoss: () => {},
    record(event) {
      const day = toDay(Date.now())
      const row = getUsageRow(event, day)
      if (row) addToRow(row, event)
      else droppedCount += 1
      const { workspace, api, stack, total } = event
      if ((workspace.definition.settings?.queryLog?.parameters ?? 'off') === 'off') return
      if (total === undefined || stack.length === 0) return
      if (searches.length < searchesMax) searches.push({ workspace, day, api, stack, isEmpty: total === 0 })
      else droppedCount += 1
    },
    ...openBatchedWriter({
      everyMs: writeEveryMs,
      hasPending: () => figuresCount > 0 || droppedCount > 0,
      write,
    }),
  }
  return usageLog
}

/** By workspace, day, API, endpoint and account. Building one text key for each query would cost more than everything else here. */
type Figures = Map<string, Map<number, Map<string, Map<string, Map<string, UsageRow>>>>>

const createMap = <Key, Value>() => new Map<Key, Value>()
const getOrCreate = <Key, Inner>(outer: Map<Key, Inner>, key: Key, make: () => NoInfer<Inner>): Inner => {
  const existing = outer.get(key)
  if (existing !== undefined) return existing
  const inner = make()
  outer.set(key, inner)
  return inner
}

const listRows = (figures: Figures): UsageRow[] =>
  [...figures.values()]
    .flatMap(byDay => [...byDay.values()])
    .flatMap(byApi => [...byApi.values()])
    .flatMap(byEndpoint => [...byEndpoint.values()])
    .flatMap(byAccount => [...byAccount.values()])

const zeroFigures = {
  queries: 0,
  failed: 0,
  empty: 0,
  total_ms: 0,
  slowest_ms: 0,
  under_5_ms: 0,
  under_20_ms: 0,
  under_100_ms: 0,
  under_500_ms: 0,
  under_2000_ms: 0,
}

const addToRow = (row: UsageRow, { total, failed, ms }: QueryEvent): void => {
  row.queries += 1
  if (failed) row.failed += 1
  if (total === 0) row.empty += 1
  row.total_ms += ms
  if (ms > row.slowest_ms) row.slowest_ms = Math.ceil(ms)
  if (ms < 5) row.under_5_ms += 1
  if (ms < 20) row.under_20_ms += 1
  if (ms < 100) row.under_100_ms += 1
  if (ms < 500) row.under_500_ms += 1
  if (ms < 2000) row.under_2000_ms += 1
}

/** Makes rows of searches, with the path of their stack or its keyed hash. */
const summarizeSearches = async (searches: readonly Search[], key: Buffer): Promise<SearchRow[]> => {
  const rows = new Map<string, SearchRow>()
  for (const [index, { workspace, day, api, stack, isEmpty }] of searches.entries()) {
    if (index % searchesPerTurn === searchesPerTurn - 1) await setImmediate()
    const path = writeStack(stack.map(toWellFormed))
    const isHashed = workspace.definition.settings?.queryLog?.parameters === 'hashed'
    const text = isHashed ? path : path.slice(0, parametersCharsMax)
    const hash = () =>
      hashPrefix + createHmac('sha256', key).update(`${workspace.id} ${path}`).digest('base64url')
    const row = getOrCreate(rows, `${workspace.id} ${day} ${api} ${isHashed} ${text}`, () => {
      const parameters = isHashed ? hash() : text
      return { workspace_id: workspace.id, day, api, parameters, queries: 0, empty: 0 }
    })
    row.queries += 1
    if (isEmpty) row.empty += 1
  }
  return [...rows.values()]
}

const toWellFormed = ({ endpoint, parameters }: StackedEndpoint): StackedEndpoint => ({
  endpoint: endpoint.toWellFormed(),
  parameters: parameters.map(({ name, value }) => ({
    name: name.toWellFormed(),
    value: value.toWellFormed(),
  })),
})
