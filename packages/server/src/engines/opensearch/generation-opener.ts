/** Opens generations, rebuilds their index if it does not fit their spec, and closes them. */
import { setTimeout as wait } from 'node:timers/promises'
import type { GenerationSpec, RebuildEvent } from '#engines/engine'
import type { Indexes } from './indexes.ts'
import { applyVersion, type OpenGeneration, type Refresher } from './open-generation.ts'
import { createSchema } from './schema.ts'
import { createStatisticsCaches } from './search-context.ts'
import type { GenerationVersions } from './versions.ts'

/** Up to this number of documents, `open` waits for the rebuild of an index. */
const awaitedRebuildMax = 2_000
const rebuildRetryMs = 5_000
/**
 * Limit of each call that opens a generation, and of waiting for a rebuild. OpenSearch reports a red index sooner, but a hanging refresh
 * would take a minute. It continues there, and the next attempt finds it done.
 */
const openMsMax = 5_000

interface Dependencies {
  indexes: Indexes
  versions: GenerationVersions
  generations: Map<string, OpenGeneration>
  refresher: Refresher
  /** Throws if the cluster is unreachable or incompatible. */
  assertCompatible: () => Promise<void>
  /** Reports whether the cluster can search vectors. */
  hasVectorSearch: () => Promise<boolean>
  emit: (event: RebuildEvent) => void
  onOpened: (id: string) => void
}

export function createGenerationOpener(deps: Dependencies) {
  const { indexes, versions, generations, refresher } = deps
  return {
    async open(id: string, spec: GenerationSpec): Promise<void> {
      await deps.assertCompatible()
      const hasVectors = spec.fields.some(({ type }) => type === 'vector') && (await deps.hasVectorSearch())
      const schema = createSchema(spec, hasVectors)
      const open = generations.get(id)
      if (open?.schema.fingerprint === schema.fingerprint) {
        open.schema = schema
        return
      }
      const limits = { msMax: openMsMax }
      const alias = indexes.aliasName(id)
      const index = await indexes.findOrCreate(id, schema, limits)
      await indexes.waitUntilAvailable(alias, limits)
      const documents = await indexes.refreshAndCount(alias, limits)
      const fitsSchema = indexes.isFor(index, id, schema)
      const generation: OpenGeneration = {
        schema,
        // A new version, because another node may have stopped between a refresh and its bump.
        ...(await versions.bump(id, documents)),
        rebuilding: fitsSchema ? undefined : { done: 0, total: documents },
        statistics: createStatisticsCaches(),
        isDirty: false,
        timer: undefined,
        runningRefresh: undefined,
        nextRefresh: undefined,
      }
      clearTimeout(open?.timer)
      generations.set(id, generation)
      deps.onOpened(id)
      if (fitsSchema) return
      const rebuilt = rebuild(deps, id, generation)
      if (documents > awaitedRebuildMax) return
      await Promise.race([rebuilt, wait(openMsMax, undefined, { ref: false })])
    },
    async release(id: string): Promise<void> {
      const generation = generations.get(id)
      if (generation === undefined) return
      clearTimeout(generation.timer)
      // If this fails, the next opening makes the writes searchable.
      if (generation.isDirty) await refresher.refresh(id, generation).catch(() => {})
      generations.delete(id)
    },
    async drop(id: string): Promise<void> {
      await deps.assertCompatible()
      clearTimeout(generations.get(id)?.timer)
      generations.delete(id)
      await indexes.drop(id)
      await versions.remove(id)
    },
  }
}

/** Rebuilds the index, and retries until it succeeds or the generation is closed. Never rejects. */
async function rebuild(
  { indexes, versions, generations, emit }: Dependencies,
  id: string,
  generation: OpenGeneration,
): Promise<void> {
  const startedMs = performance.now()
  const event = { generation: id, documents: generation.documents }
  emit({ ...event, state: 'started', reason: 'its fields or the analysis changed' })
  for (let lastMessage = ''; generations.get(id) === generation; ) {
    try {
      await indexes.rebuild(id, generation.schema, done => {
        generation.rebuilding = { done, total: event.documents }
      })
      applyVersion(generation, await versions.bump(id, await indexes.refreshAndCount(indexes.aliasName(id))))
      generation.rebuilding = undefined
      return emit({ ...event, state: 'done', durationMs: performance.now() - startedMs })
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      if (message !== lastMessage) emit({ ...event, state: 'failed', message })
      lastMessage = message
      await wait(rebuildRetryMs, undefined, { ref: false })
    }
  }
}
