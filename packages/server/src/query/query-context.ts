/** The parts of the query service, and the state of a query on its way through the recipe of route.ts. */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { StackedEndpoint } from '@querent/contract/paths'
import type { AuthorizationDependencies } from '#authz/authorize'
import type { HiddenFields } from '#authz/hidden-fields'
import type { Preview } from '#authz/preview'
import type { Embedding } from '#embedding/embedding'
import type { QueryVectors } from '#embedding/query-vectors'
import type { Engine } from '#engines/engine'
import type { Origins } from '#http/origins'
import type { QueryReply } from '#http/raw-reply'
import type { OpenReplySize, ReplySize } from '#http/reply-size'
import type { MaybePromise } from '#storage/directory'
import type { WorkspaceRow } from '#storage/workspaces'
import type { Counters } from '#telemetry/counters'
import type { UsageLog } from '#usage/usage-log'
import { type ApiDocuments, createApiDocuments } from './cache/api-documents.ts'
import { createCompiledApiCache } from './cache/compiled-apis.ts'
import { type Caller, createNotModifiedPath, type NotModifiedPath, noShortcut } from './cache/not-modified.ts'
import { type CachedRequest, createPlanCache, type PlanCache } from './cache/plan-cache.ts'
import { type ConfigurationAccess, createConfigurationAccess } from './configurations.ts'
import type { Deadline } from './deadline.ts'
import { createIntake, type Intake } from './intake.ts'
import { createLimits, type LimitSettings, type Limits } from './limits.ts'
import type { QueryOptions } from './options.ts'
import type { CompiledApi } from './plan/compile.ts'
import type { OpenCollections } from './plan/open-collections.ts'

/** Returns a function that gives each connection one signal. The signal is aborted when the connection closes. */
const createDisconnectSignals = () => {
  const signals = new WeakMap<Socket, AbortSignal>()
  return (socket: Socket): AbortSignal => {
    const existingSignal = signals.get(socket)
    if (existingSignal) return existingSignal
    const controller = new AbortController()
    if (socket.destroyed) controller.abort()
    else socket.once('close', () => controller.abort())
    signals.set(socket, controller.signal)
    return controller.signal
  }
}

export interface QueryDependencies extends AuthorizationDependencies {
  engine: Engine
  /** Vectors of texts, and how many documents wait for theirs. Undefined without embedders. */
  vectors?: QueryVectors
  embedding?: Pick<Embedding, 'countMissing'>
  /** Finds the generation of a collection that answers under a configuration. Undefined until it is ready. */
  generation(
    workspace: WorkspaceRow,
    collection: string,
    config: string,
  ): MaybePromise<{ id: string; name: string } | undefined>
  /** Origins of registered applications. */
  origins: Origins
  /** The authorization server's own pages may query, including the console. */
  authUrl: string
  usageLog: Pick<UsageLog, 'record'>
  clientAddress(request: IncomingMessage): string
  /** Key of the MACs of cursors; the same on all nodes. */
  cursorKey: Buffer
  queryTimeoutMs: number
  requestsPerMinute: number | 'off'
  /** `off` takes every query through all its steps (cache/not-modified.ts). */
  queryShortcut: 'on' | 'off'
  /** Whether the disk with the storage is full, from memory. */
  isDiskFull?: () => boolean
  concurrentMax: number
  waitingMax: number
  /** Counts requests for all threads; by default for this one. */
  requestCounter?: LimitSettings['requestCounter']
  counts: Pick<Counters, 'cachedPlans' | 'waitingQueries'>
  /** Counts large replies together with others of the process. */
  openReplySize: OpenReplySize
  /** Takes a function to call before the server closes idle connections. */
  onClosing?(call: () => void): void
}

/** All state that outlives a query. */
export interface QueryService {
  deps: QueryDependencies
  engine: Engine
  limits: Limits
  intake: Intake
  planCache: PlanCache
  notModified: NotModifiedPath
  configurations: ConfigurationAccess
  documents: ApiDocuments
  /** Counts the bytes of a reply from its start. */
  openReplySize: OpenReplySize
  disconnectSignal(socket: Socket): AbortSignal
  /** Undefined if the workspace or API doesn't exist. */
  findApi(
    workspace: WorkspaceRow | undefined,
    name: string | undefined,
    open?: OpenCollections,
    hidden?: HiddenFields,
  ): CompiledApi | undefined
}

/** Queries of one sender that are planned while as many as may run are running, so that the next one starts without delay. */
const planned = 16

/**
 * Searches in progress for each that the engine runs at once. More only wait in memory, and a planned query takes more of it than a held one.
 * A query that waits for its vector occupies no search.
 */
const searchesPerSlot = 4

const readInProgressMax = ({ concurrentMax, engine, vectors }: QueryDependencies): number => {
  const slots = vectors ? undefined : engine.searchesAtOnce?.useful
  return Math.min(concurrentMax, slots === undefined ? concurrentMax : searchesPerSlot * slots) + planned
}

/** Short beside the time that a query may take. */
const pausedMsMax = 500

export const createQueryService = (deps: QueryDependencies): QueryService => {
  const compiledApis = createCompiledApiCache()
  const planCache = createPlanCache()
  const limits = createLimits(deps)
  const inProgressMax = readInProgressMax(deps)
  const intake = createIntake({
    inProgressMax,
    heldMax: Math.max(0, deps.concurrentMax + deps.waitingMax - inProgressMax),
    heldMsMax: deps.queryTimeoutMs,
    pausedMsMax,
  })
  deps.onClosing?.(intake.stopPausing)
  const findApi: QueryService['findApi'] = (workspace, name, open, hidden) =>
    workspace && name !== undefined ? compiledApis(workspace, name, open, hidden) : undefined
  deps.counts.cachedPlans = planCache.size
  deps.counts.waitingQueries = () => limits.waiting() + intake.held()
  return {
    deps,
    engine: deps.engine,
    limits,
    intake,
    planCache,
    notModified: deps.queryShortcut === 'on' ? createNotModifiedPath({ ...deps, planCache }) : noShortcut,
    configurations: createConfigurationAccess(deps, findApi),
    documents: createApiDocuments({ baseUrl: deps.origin, authUrl: deps.authUrl }),
    openReplySize: deps.openReplySize,
    disconnectSignal: createDisconnectSignals(),
    findApi,
  }
}

/** The workspace and API that an address names, before the caller is authorized. */
export interface ResolvedApi {
  workspace: WorkspaceRow | undefined
  api: CompiledApi | undefined
}

/** A query before its authorization. */
export interface PendingQuery {
  cached: CachedRequest
  resolved: ResolvedApi
  preview: Preview | undefined
  /** More queries of the sender wait than may wait. */
  isBeyondLimit?: boolean
}

/** A usage record that the steps of a query fill in. */
export interface UsageDraft {
  caller?: Caller
  stack?: readonly StackedEndpoint[]
  /** The facet whose options were requested. */
  facet?: string | undefined
  total?: number
  /** Whether there may be more results than `total`. */
  hasMoreThanTotal?: boolean
  /** The query tries unsaved changes of the definition, and does not count. */
  isPreview?: boolean
  /** The console looks something up, and no person searches. */
  isLeftOut?: boolean
}

/** An authorized query. */
export interface QueryContext {
  reply: QueryReply
  caller: Caller
  /** The configuration that answers. */
  config: string
  options: QueryOptions
  usage: UsageDraft
  deadline: Deadline
  size: ReplySize
  /** Endpoints of a mix whose embedder failed; set by the search. */
  degraded?: string[]
}
