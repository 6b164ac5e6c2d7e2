/**
 * OpenSearch as the engine. Each generation is an index behind an alias. This process keeps only versions and counts in memory, so any
 * number of nodes may share the cluster.
 */
import {
  type Engine,
  EngineError,
  type GenerationInfo,
  type Plan,
  type RebuildEvent,
  type Write,
} from '#engines/engine'
import { createKeyedQueue } from '#engines/queues'
import { createBufferedEmitter } from '#memory/buffered-emitter'
import { type CallLimits, type Cluster, type OpenSearchSettings, openCluster } from './cluster.ts'
import { ClusterUnreachable, createClusterCheck, listNodesWithoutKnn } from './cluster-check.ts'
import { canceledByCaller } from './failure.ts'
import { createGenerationOpener } from './generation-opener.ts'
import { anyCopy, createHedgedReads } from './hedged-read.ts'
import { openIndexes, putOperations } from './indexes.ts'
import { createLazyGenerations, withDeadline } from './lazy-generations.ts'
import { createNodeWatch } from './node-watch.ts'
import { applyVersion, createRefresher, type OpenGeneration, type Refresher } from './open-generation.ts'
import { documentKey } from './schema.ts'
import { compileWithCutoff, createSearchContext, search } from './search.ts'
import { knnPlugin } from './vectors.ts'
import type { GenerationVersions } from './versions.ts'

/** Maximum number of searches in this process, including those that wait for an opening. */
const searchesMax = 1_000
/** The cluster has its own threads and queue. Half of the searches are reserved for those that wait for an opening. */
const searchesAtOnce = { useful: 256, max: searchesMax / 2 }
/** Default time that a caller of `whenOpened` waits for an opening. */
const infoMsMax = 5_000

/**
 * Opens the engine. Throws `unavailable` with a line for the operator if the cluster is unusable. With `onUnreachable`, an unresponsive
 * cluster is reported there instead, and checked again when a generation is opened or dropped.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: older than the limit
export async function openOpenSearchEngine(
  settings: OpenSearchSettings,
  versions: GenerationVersions,
  onUnreachable?: (error: EngineError) => void,
): Promise<Engine> {
  const cluster = openCluster(settings)
  const checkCluster = createClusterCheck(cluster, settings)
  await checkCluster().catch(async error => {
    if (onUnreachable && error instanceof ClusterUnreachable) return onUnreachable(error)
    await cluster.close()
    throw error
  })
  const nodeWatch = createNodeWatch(cluster)
  const reads = createHedgedReads(nodeWatch)
  const indexes = openIndexes({ cluster, reads }, settings)
  const generations = new Map<string, OpenGeneration>()
  const { emit, listen } = createBufferedEmitter<RebuildEvent>()
  const refresher = createRefresher({ indexes, versions, generations })
  const { refresh, markDirty } = refresher
  const { aliasName } = indexes
  const assertCompatible = () => checkCluster().catch(hideClusterAddress)
  const opener = createGenerationOpener({
    indexes,
    versions,
    generations,
    refresher,
    assertCompatible,
    hasVectorSearch: async () => (await listNodesWithoutKnn(cluster)).length === 0,
    emit,
    onOpened: id => lazy.forget(id),
  })
  /** Runs opening, releasing and dropping of one generation one after the other. */
  const inOrder = createKeyedQueue()
  const lazy = createLazyGenerations({
    open: (id, spec, isWanted) =>
      inOrder(id, async () => {
        if (isWanted()) await opener.open(id, spec)
        // Throws if it was released meanwhile.
        findOpen(generations, id)
      }),
    onOpenFailed: (generation, message) => emit({ generation, documents: 0, state: 'open-failed', message }),
  })
  /** Returns the generation, after opening it if that was deferred. */
  const ensureOpen = async (id: string): Promise<OpenGeneration> => {
    if (!generations.has(id)) await lazy.ensureOpen(id)
    return findOpen(generations, id)
  }
  const asSearch = createSearchLimit(searchesMax)
  const createContext = (id: string, generation: OpenGeneration, plan: Plan, limits: () => CallLimits) =>
    createSearchContext({ cluster, reads, alias: aliasName(id), generation, limits }, plan)
  const stopListening = versions.onChange(changedId => {
    for (const [id, generation] of generations)
      if (changedId === undefined || changedId === id)
        // If the storage fails, it reports a change of any generation when it is back.
        void versions.read(id).then(
          stored => applyVersion(generation, stored),
          () => {},
        )
  })

  return {
    searchesAtOnce,
    async open(id, spec, isDeferred = false) {
      if (generations.has(id)) return inOrder(id, () => opener.open(id, spec))
      if (isDeferred && !lazy.has(id)) lazy.add(id, spec)
      if (isDeferred) return
      await (lazy.retryOpen(id) ?? inOrder(id, () => opener.open(id, spec)))
    },
    isOpened: id => generations.has(id) || !lazy.has(id),
    whenOpened(id, deadlineMs = infoMsMax, signal) {
      if (generations.has(id) || !lazy.has(id)) return undefined
      return asSearch(() => withDeadline(() => lazy.ensureOpen(id), deadlineMs, signal))
    },
    release(id) {
      lazy.forget(id)
      return inOrder(id, () => opener.release(id))
    },
    drop(id) {
      lazy.forget(id)
      return inOrder(id, () => opener.drop(id))
    },
    info: (id): GenerationInfo => {
      const { documents, version, rebuilding } = findOpen(generations, id)
      return { documents, version, state: rebuilding ? { rebuilding } : 'ready' }
    },
    version: id => findOpen(generations, id).version,
    async write(id, writes) {
      const generation = await ensureOpen(id)
      generation.isDirty = true
      await cluster.bulk(await bulkOperations(generation, aliasName(id), writes))
      markDirty(id, generation)
    },
    refresh: async id => refresh(id, await ensureOpen(id)),
    async get(id, documentId) {
      await ensureOpen(id)
      const key = documentKey(documentId)
      const reply = await reads.read(anyCopy, {}, (preference, limits) => {
        const path = `/${aliasName(id)}/_doc/${key}?_source_includes=entity&preference=${preference}`
        return cluster.find('GET', path, undefined, limits)
      })
      return (reply as { _source?: { entity: string } } | undefined)?._source?.entity
    },
    async list(id, afterId, count) {
      await refresh(id, await ensureOpen(id))
      return indexes.page(aliasName(id), afterId, count)
    },
    async deleteMatching(id, plan) {
      await ensureOpen(id)
      const generation = findReady(generations, id)
      await refresh(id, generation)
      const query = await compileWithCutoff(await createContext(id, generation, plan, () => ({})), plan)
      return deleteByQuery({ cluster, refresher }, { id, generation, alias: aliasName(id), query })
    },
    async copy(source, target) {
      const { schema } = await ensureOpen(target)
      await refresh(source, await ensureOpen(source))
      for await (const documents of indexes.pages(aliasName(source)))
        await cluster.bulk(await putOperations(schema, aliasName(target), documents))
      markDirty(target, findOpen(generations, target))
    },
    async search(id, plan, deadlineMs, signal) {
      if (signal?.aborted) throw canceledByCaller()
      const endsAt = performance.now() + deadlineMs
      const limits = (): CallLimits => ({ signal, msMax: endsAt - performance.now() })
      return asSearch(async () => {
        if (!generations.has(id)) await withDeadline(() => lazy.ensureOpen(id), deadlineMs, signal)
        return search(await createContext(id, findReady(generations, id), plan, limits), plan)
      })
    },
    async missingForVectors() {
      await assertCompatible()
      const nodes = await listNodesWithoutKnn(cluster)
      if (nodes.length === 0) return undefined
      return `the k-NN plugin of OpenSearch (${knnPlugin}) on every data node; it is missing on ${nodes.join(', ')}`
    },
    onRebuild: listen,
    ping: async msMax => void (await cluster.call('HEAD', '/', undefined, { msMax })),
    async close() {
      stopListening()
      nodeWatch.close()
      lazy.forgetAll()
      await Promise.all([...generations.keys()].map(id => inOrder(id, () => opener.release(id))))
      await cluster.close()
    },
  }
}

/** Throws an error for callers. Addresses and settings of the cluster go into its cause, for the log only. */
const hideClusterAddress = (cause: unknown): never => {
  const problem =
    cause instanceof ClusterUnreachable ? 'cannot be reached' : 'is not compatible with the settings'
  throw new EngineError('unavailable', `OpenSearch ${problem}`, { cause })
}

const findOpen = (generations: ReadonlyMap<string, OpenGeneration>, id: string): OpenGeneration => {
  const generation = generations.get(id)
  if (generation === undefined) throw new EngineError('unavailable', `the generation ${id} is not open`)
  return generation
}

const findReady = (generations: ReadonlyMap<string, OpenGeneration>, id: string): OpenGeneration => {
  const generation = findOpen(generations, id)
  if (generation.rebuilding)
    throw new EngineError('unavailable', `the index of the generation ${id} is being rebuilt`)
  return generation
}

/** Returns a function that runs a search, or rejects it if `max` are running. */
const createSearchLimit = (max: number) => {
  let searches = 0
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (searches >= max) throw new EngineError('overloaded', `${max} searches are already running`)
    searches++
    try {
      return await work()
    } finally {
      searches--
    }
  }
}

/** Keeps only the last write of each document, because a retry of an earlier one could overwrite it. */
async function bulkOperations({ schema }: OpenGeneration, alias: string, writes: readonly Write[]) {
  const lastWrites = new Map(writes.map(write => ['put' in write ? write.put.id : write.delete, write]))
  const last = [...lastWrites.values()]
  const puts = last.flatMap(write => ('put' in write ? [write.put] : []))
  const deletes = last.flatMap(write =>
    'put' in write ? [] : [{ index: alias, key: documentKey(write.delete) }],
  )
  return [...(await putOperations(schema, alias, puts)), ...deletes]
}

const deleteBatchSize = 1_000
const deleteMsMax = 10 * 60 * 1000

interface DeleteReply {
  deleted: number
  version_conflicts: number
  failures: unknown[]
}

/** Deletes the matching documents and returns their number. Repeats while documents are written meanwhile. */
async function deleteByQuery(
  { cluster, refresher }: { cluster: Cluster; refresher: Refresher },
  target: { id: string; generation: OpenGeneration; alias: string; query: object },
): Promise<number> {
  const { id, generation, alias, query } = target
  const path = `/${alias}/_delete_by_query?conflicts=proceed&scroll_size=${deleteBatchSize}`
  for (let deleted = 0; ; ) {
    const reply = (await cluster.call('POST', path, { query }, { msMax: deleteMsMax })) as DeleteReply
    if (reply.failures.length > 0)
      throw new EngineError('unavailable', 'OpenSearch could not delete all of the documents')
    deleted += reply.deleted
    refresher.markDirty(id, generation)
    if (reply.version_conflicts === 0) return deleted
    await refresher.refresh(id, generation)
  }
}
