/**
 * OpenSearch as the engine. Each generation is an index behind an alias. This process keeps only versions and counts in memory, so any
 * number of nodes may share the cluster.
 */
import { type Engine, EngineError, type Plan, type RebuildEvent, type Write } from '#engines/engine'
import { createBufferedEmitter } from '#memory/buffered-emitter'
import { type CallLimits, type Cluster, type OpenSearchSettings, openCluster } from './cluster.ts'
import { ClusterUnreachable, createClusterCheck, listNodesWithoutKnn } from './cluster-check.ts'
import { canceledByCaller } from './failure.ts'
import { anyCopy, createHedgedReads, type HedgedReads } from './hedged-read.ts'
import { type Indexes, openIndexes, putOperations } from './indexes.ts'
import { createNodeWatch } from './node-watch.ts'
import type { OpenGeneration, Refresher } from './open-generation.ts'
import { type OpenGenerations, openGenerations } from './open-generations.ts'
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
  const { emit, listen } = createBufferedEmitter<RebuildEvent>()
  const assertCompatible = () => checkCluster().catch(hideClusterAddress)
  const hasVectorSearch = async () => (await listNodesWithoutKnn(cluster)).length === 0
  const generations = openGenerations({ indexes, versions, assertCompatible, hasVectorSearch, emit })
  const { open, isOpened, release, drop, info } = generations
  const parts = { cluster, reads, indexes, generations }
  const asSearch = createSearchLimit(searchesMax)
  const documents = createDocumentOperations(parts)
  const { search, deleteMatching } = createSearches(parts, asSearch)

  return {
    searchesAtOnce,
    ...{ open, isOpened, release, drop, info },
    ...documents,
    search,
    deleteMatching,
    whenOpened(id, deadlineMs = infoMsMax, signal) {
      if (isOpened(id)) return undefined
      return asSearch(() => generations.waitUntilOpen(id, deadlineMs, signal))
    },
    version: id => generations.findOpen(id).version,
    async missingForVectors() {
      await assertCompatible()
      const nodes = await listNodesWithoutKnn(cluster)
      if (nodes.length === 0) return undefined
      return `the k-NN plugin of OpenSearch (${knnPlugin}) on every data node; it is missing on ${nodes.join(', ')}`
    },
    onRebuild: listen,
    ping: async msMax => void (await cluster.call('HEAD', '/', undefined, { msMax })),
    async close() {
      generations.stopListening()
      nodeWatch.close()
      await generations.releaseAll()
      await cluster.close()
    },
  }
}

interface EngineParts {
  cluster: Cluster
  reads: HedgedReads
  indexes: Indexes
  generations: OpenGenerations
}

/** Reads and writes single documents and pages of them. */
function createDocumentOperations({
  cluster,
  reads,
  indexes,
  generations,
}: EngineParts): Pick<Engine, 'write' | 'refresh' | 'get' | 'list' | 'copy'> {
  const { aliasName } = indexes
  const { ensureOpen } = generations
  const { refresh, markDirty } = generations.refresher
  return {
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
    async copy(source, target) {
      const { schema } = await ensureOpen(target)
      await refresh(source, await ensureOpen(source))
      for await (const documents of indexes.pages(aliasName(source)))
        await cluster.bulk(await putOperations(schema, aliasName(target), documents))
      markDirty(target, generations.findOpen(target))
    },
  }
}

/** Runs plans. */
function createSearches(
  { cluster, reads, indexes, generations }: EngineParts,
  asSearch: SearchLimit,
): Pick<Engine, 'search' | 'deleteMatching'> {
  const { aliasName } = indexes
  const { refresher, ensureOpen, findReady } = generations
  const createContext = (id: string, generation: OpenGeneration, plan: Plan, limits: () => CallLimits) =>
    createSearchContext({ cluster, reads, alias: aliasName(id), generation, limits }, plan)
  return {
    async search(id, plan, deadlineMs, signal) {
      if (signal?.aborted) throw canceledByCaller()
      const endsAt = performance.now() + deadlineMs
      const limits = (): CallLimits => ({ signal, msMax: endsAt - performance.now() })
      return asSearch(async () => {
        if (!generations.isOpen(id)) await generations.waitUntilOpen(id, deadlineMs, signal)
        return search(await createContext(id, findReady(id), plan, limits), plan)
      })
    },
    async deleteMatching(id, plan) {
      await ensureOpen(id)
      const generation = findReady(id)
      await refresher.refresh(id, generation)
      const query = await compileWithCutoff(await createContext(id, generation, plan, () => ({})), plan)
      return deleteByQuery({ cluster, refresher }, { id, generation, alias: aliasName(id), query })
    },
  }
}

/** Throws an error for callers. Addresses and settings of the cluster go into its cause, for the log only. */
const hideClusterAddress = (cause: unknown): never => {
  const problem =
    cause instanceof ClusterUnreachable ? 'cannot be reached' : 'is not compatible with the settings'
  throw new EngineError('unavailable', `OpenSearch ${problem}`, { cause })
}

type SearchLimit = ReturnType<typeof createSearchLimit>

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
