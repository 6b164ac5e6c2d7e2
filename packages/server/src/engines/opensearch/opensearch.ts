/**
 * OpenSearch as the engine. Documents live in its indexes, one for each generation behind an alias; this process holds versions and
 * numbers only, so any number of nodes may share them.
 */
import { setTimeout as wait } from 'node:timers/promises'
import {
  type Engine,
  EngineError,
  type GenerationInfo,
  type GenerationSpec,
  type Plan,
  type RebuildEvent,
  type Write,
} from '#engines/engine'
import { openAnalyser } from './analysis.ts'
import { type CallLimits, type OpenSearchSettings, openCluster } from './cluster.ts'
import { ClusterAway, openFitness } from './cluster-check.ts'
import { compile } from './compile.ts'
import { openIndexes, operation } from './generation.ts'
import { openUnopened, within } from './lazy-generations.ts'
import { askerOf } from './multi-search.ts'
import { keyOf, type Schema, schemaOf } from './schema.ts'
import { found, preferenceOf, search } from './search.ts'
import { type Ground, openNumbers } from './search-context.ts'
import type { GenerationVersions } from './versions.ts'

interface Generation {
  schema: Schema
  version: number
  documents: number
  rebuilding: { done: number; total: number } | undefined
  numbers: ReturnType<typeof openNumbers>
  /** Something was written that no refresh has made searchable. */
  isDirty: boolean
  timer: NodeJS.Timeout | undefined
  running: Promise<void> | undefined
  next: Promise<void> | undefined
}

/** Where nobody asks for a refresh, changes become searchable after so long. */
const refreshMs = 1_000
/** Searches of this process that may be under way, with those that wait until an index is opened. */
const searchesMax = 1_000
/** The cluster has threads and a queue of its own; those that wait for an opening must not be crowded out. */
const searchesAtOnce = { useful: 256, max: searchesMax / 2 }
/** Up to so many documents `open` waits until an index is built again. */
const rebuiltAtOnceMax = 2_000
const rebuildAgainMs = 5_000
/**
 * Of each of the calls that open a generation, one after another, and then of an index that is built anew: a red one is told of sooner,
 * but a refresh that hangs would take a minute. It goes on there, and the next try finds it done.
 */
const openMsMax = 5_000
/** Who only asks what there is waits so long for an opening. */
const infoMsMax = 5_000

/**
 * Throws `unavailable`, with a line for the operator, where the cluster cannot be worked with. With `onAway` one that does not answer is
 * told so, and not waited for: it is asked again by whoever opens or drops a generation.
 */
export async function openOpenSearchEngine(
  settings: OpenSearchSettings,
  versions: GenerationVersions,
  onAway?: (error: EngineError) => void,
): Promise<Engine> {
  const cluster = openCluster(settings)
  const fit = openFitness(cluster, settings)
  await fit().catch(async error => {
    if (onAway && error instanceof ClusterAway) return onAway(error)
    await cluster.close()
    throw error
  })
  /** Before the first of what is asked of indexes. Addresses and settings are for the log alone. */
  const answers = () =>
    fit().catch(cause => {
      const told = cause instanceof ClusterAway ? 'cannot be reached' : 'is not as the settings say'
      throw new EngineError('unavailable', `OpenSearch ${told}`, { cause })
    })
  const indexes = openIndexes(cluster, settings)
  const analysers = openAnalyser()
  const generations = new Map<string, Generation>()
  const untold: RebuildEvent[] = []
  let tell = (event: RebuildEvent): void => void untold.push(event)
  let searches = 0
  const { aliasOf } = indexes

  const generationOf = (id: string): Generation => {
    const generation = generations.get(id)
    if (generation === undefined) throw new EngineError('unavailable', `the generation ${id} is not open`)
    return generation
  }
  const readyOf = (id: string): Generation => {
    const generation = generationOf(id)
    if (generation.rebuilding)
      throw new EngineError('unavailable', `the index of the generation ${id} is being built again`)
    return generation
  }

  const note = (generation: Generation, known: { version: number; documents: number } | undefined) => {
    if (known === undefined || known.version <= generation.version) return
    generation.version = known.version
    generation.documents = known.documents
  }
  const stopListening = versions.onChange(changed => {
    for (const [id, generation] of generations)
      if (changed === undefined || changed === id)
        // Storage that is away is heard of when it is back: then any generation may have changed.
        void versions.read(id).then(
          known => note(generation, known),
          () => {},
        )
  })

  const refreshOnce = async (id: string, generation: Generation) => {
    clearTimeout(generation.timer)
    generation.timer = undefined
    const wasDirty = generation.isDirty
    generation.isDirty = false
    try {
      const documents = await indexes.refreshed(aliasOf(id))
      if (wasDirty) note(generation, await versions.bump(id, documents))
    } catch (error) {
      generation.isDirty = wasDirty
      throw error
    }
  }
  /** One that begins after the call; callers at the same time share it. */
  const refresh = (id: string, generation: Generation): Promise<void> => {
    const { running } = generation
    if (running === undefined) {
      generation.running = refreshOnce(id, generation).finally(() => {
        generation.running = undefined
      })
      return generation.running
    }
    generation.next ??= running
      .catch(() => {})
      .then(() => {
        generation.next = undefined
        return refresh(id, generation)
      })
    return generation.next
  }
  const dirty = (id: string, generation: Generation) => {
    generation.isDirty = true
    generation.timer ??= setTimeout(() => {
      generation.timer = undefined
      // One that fails is tried again.
      void refresh(id, generation).catch(() => generations.get(id) === generation && dirty(id, generation))
    }, refreshMs).unref()
  }

  const groundOf = async (
    id: string,
    { schema, version, numbers }: Generation,
    plan: Plan,
    limits: () => CallLimits,
  ): Promise<Ground> => {
    const alias = aliasOf(id)
    const preference = preferenceOf(plan)
    const analyser = analysers.on((method, path, body) => cluster.call(method, path, body, limits()), alias)
    const ask = askerOf({ cluster, alias, preference, limits })
    const whole: Ground = { schema, analyser, ask, visible: [], numbers: numbers(version, []) }
    if (plan.restrictions.length === 0) return whole
    const visible = [(await compile(whole, plan.restrictions, false)).found]
    return { ...whole, visible, numbers: numbers(version, visible) }
  }

  const rebuild = async (id: string, generation: Generation) => {
    const began = performance.now()
    const total = generation.documents
    tell({ generation: id, documents: total, state: 'started', reason: 'its fields or the analysis changed' })
    for (let last = ''; generations.get(id) === generation; ) {
      try {
        await indexes.rebuild(id, generation.schema, done => {
          generation.rebuilding = { done, total }
        })
        note(generation, await versions.bump(id, await indexes.refreshed(aliasOf(id))))
        generation.rebuilding = undefined
        return tell({
          generation: id,
          documents: total,
          state: 'done',
          durationMs: performance.now() - began,
        })
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error)
        if (message !== last) tell({ generation: id, documents: total, state: 'failed', message })
        last = message
        await new Promise(resolve => setTimeout(resolve, rebuildAgainMs).unref())
      }
    }
  }

  const opened = async (id: string, spec: GenerationSpec) => {
    await answers()
    const schema = schemaOf(spec)
    const known = generations.get(id)
    if (known?.schema.fingerprint === schema.fingerprint) {
      known.schema = schema
      return
    }
    const limits = { msMax: openMsMax }
    const index = await indexes.found(id, schema, limits)
    await indexes.answers(aliasOf(id), limits)
    const documents = await indexes.refreshed(aliasOf(id), limits)
    const isFit = indexes.isFor(index, id, schema)
    const generation: Generation = {
      schema,
      // A node may have ended between a refresh and its counting.
      ...(await versions.bump(id, documents)),
      rebuilding: isFit ? undefined : { done: 0, total: documents },
      numbers: openNumbers(),
      isDirty: false,
      timer: undefined,
      running: undefined,
      next: undefined,
    }
    clearTimeout(known?.timer)
    generations.set(id, generation)
    unopened.forget(id)
    if (isFit) return
    const done = rebuild(id, generation)
    if (documents > rebuiltAtOnceMax) return
    await Promise.race([done, wait(openMsMax, undefined, { ref: false })])
  }

  const release = async (id: string) => {
    const generation = generations.get(id)
    if (generation === undefined) return
    clearTimeout(generation.timer)
    // Where OpenSearch is away, or the index gone: what is kept becomes searchable when the generation is opened.
    if (generation.isDirty) await refresh(id, generation).catch(() => {})
    generations.delete(id)
  }

  const write = async (id: string, writes: readonly Write[]) => {
    const generation = await usable(id)
    const index = aliasOf(id)
    // The last write of each document: those before it would be superseded, and may not be sent again after it.
    const last = new Map(
      writes.map(one =>
        'put' in one ? ([one.put.id, one.put] as const) : ([one.delete, undefined] as const),
      ),
    )
    generation.isDirty = true
    await cluster.bulk(
      [...last].map(([key, put]) =>
        put ? operation(generation.schema, index, put) : { index, key: keyOf(key) },
      ),
    )
    dirty(id, generation)
  }

  const opening = new Map<string, Promise<unknown>>()
  /** Opening, releasing and dropping one generation go one after the other. */
  const inTurn = <T>(id: string, work: () => Promise<T>): Promise<T> => {
    const before = opening.get(id) ?? Promise.resolve()
    const turn = before.then(work, work)
    const settled = turn.catch(() => {}).finally(() => opening.get(id) === settled && opening.delete(id))
    opening.set(id, settled)
    return turn
  }

  const unopened = openUnopened({
    open: (id, spec, isWanted) =>
      inTurn(id, async () => {
        if (isWanted()) await opened(id, spec)
        // Opened for somebody else meanwhile, or not wanted any more.
        generationOf(id)
      }),
    onTrouble: (generation, message) => tell({ generation, documents: 0, state: 'open-failed', message }),
  })
  /** Once it is opened, where that was put off. */
  const usable = async (id: string): Promise<Generation> => {
    if (!generations.has(id)) await unopened.opened(id)
    return generationOf(id)
  }
  /** Does `work` as one of the searches that may be under way. */
  const asSearch = async <T>(work: () => Promise<T>): Promise<T> => {
    if (searches >= searchesMax)
      throw new EngineError('overloaded', `${searchesMax} searches are under way already`)
    searches++
    try {
      return await work()
    } finally {
      searches--
    }
  }

  return {
    searchesAtOnce,
    async open(id, spec, later = false) {
      if (generations.has(id)) return inTurn(id, () => opened(id, spec))
      if (later && !unopened.has(id)) unopened.add(id, spec)
      if (later) return
      await (unopened.openedAnew(id) ?? inTurn(id, () => opened(id, spec)))
    },
    isOpened: id => generations.has(id) || !unopened.has(id),
    whenOpened(id, deadlineMs = infoMsMax, signal) {
      if (generations.has(id) || !unopened.has(id)) return undefined
      return asSearch(() => within(() => unopened.opened(id), deadlineMs, signal))
    },
    release(id) {
      unopened.forget(id)
      return inTurn(id, () => release(id))
    },
    drop(id) {
      unopened.forget(id)
      return inTurn(id, async () => {
        await answers()
        clearTimeout(generations.get(id)?.timer)
        generations.delete(id)
        await indexes.drop(id)
        await versions.remove(id)
      })
    },
    info: (id): GenerationInfo => {
      const { documents, version, rebuilding } = generationOf(id)
      return { documents, version, state: rebuilding ? { rebuilding } : 'ready' }
    },
    version: id => generationOf(id).version,
    write,
    refresh: async id => refresh(id, await usable(id)),
    async get(id, documentId) {
      await usable(id)
      const path = `/${aliasOf(id)}/_doc/${keyOf(documentId)}?_source_includes=entity`
      const reply = (await cluster.find('GET', path)) as { _source?: { entity: string } } | undefined
      return reply?._source?.entity
    },
    async list(id, after, count) {
      await refresh(id, await usable(id))
      return indexes.page(aliasOf(id), after, count)
    },
    async deleteMatching(id, plan) {
      await usable(id)
      const generation = readyOf(id)
      await refresh(id, generation)
      const query = await found(await groundOf(id, generation, plan, () => ({})), plan)
      let deleted = 0
      for (let isDone = false; !isDone; ) {
        const path = `/${aliasOf(id)}/_delete_by_query?conflicts=proceed&scroll_size=${deletedAtOnce}`
        const reply = (await cluster.call('POST', path, { query }, { msMax: deleteMsMax })) as DeleteReply
        if (reply.failures.length > 0)
          throw new EngineError('unavailable', 'OpenSearch could not delete all of the documents')
        deleted += reply.deleted
        // What was written meanwhile is looked at again.
        isDone = reply.version_conflicts === 0
        dirty(id, generation)
        if (!isDone) await refresh(id, generation)
      }
      return deleted
    },
    async copy(source, target) {
      const { schema } = await usable(target)
      await refresh(source, await usable(source))
      for await (const documents of indexes.pages(aliasOf(source)))
        await cluster.bulk(documents.map(one => operation(schema, aliasOf(target), one)))
      dirty(target, generationOf(target))
    },
    async search(id, plan, deadlineMs, signal) {
      if (signal?.aborted) throw new EngineError('cancelled', 'whoever asked has given the query up')
      const endsAt = performance.now() + deadlineMs
      const limits = (): CallLimits => ({ signal, msMax: endsAt - performance.now() })
      return asSearch(async () => {
        if (!generations.has(id)) await within(() => unopened.opened(id), deadlineMs, signal)
        return search(await groundOf(id, readyOf(id), plan, limits), plan)
      })
    },
    onRebuild(listener) {
      tell = listener
      untold.splice(0).forEach(listener)
    },
    ping: async msMax => void (await cluster.call('HEAD', '/', undefined, { msMax })),
    async close() {
      stopListening()
      unopened.forgetAll()
      await Promise.all([...generations.keys()].map(id => inTurn(id, () => release(id))))
      await cluster.close()
    },
  }
}

const deletedAtOnce = 1_000
const deleteMsMax = 10 * 60 * 1000

interface DeleteReply {
  deleted: number
  version_conflicts: number
  failures: unknown[]
}
