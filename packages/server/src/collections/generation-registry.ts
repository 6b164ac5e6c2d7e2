/** The registry of generations in memory. It answers which generation is live without a query to the storage. */
import type { Storage } from '#storage/db'
import { findLiveGeneration, type GenerationRow, listGenerations, makeEngineId } from '#storage/generations'
import { findWorkspaceById } from '#storage/workspaces'
import type { Generation } from './collections.ts'
import type { EngineGenerations } from './engine-generations.ts'
import { answeringRows, generationName, readSpec, sortPromoted, specKey } from './generation-rows.ts'
import { createKeyedLocks } from './read-write-lock.ts'

export interface GenerationEntry extends Generation {
  row: GenerationRow
  specKey: string
}
export interface CollectionEntry {
  /** Complete generations, newest first. */
  rows: GenerationRow[]
  /** The live one, even if it cannot be opened. Changes of the collection start from it. */
  live: GenerationEntry | undefined
  /** The one that serves queries, then those promoted before it that are registered with the engine. */
  promoted: GenerationEntry[]
}

export type GenerationRegistry = ReturnType<typeof createGenerationRegistry>

interface RegistryDependencies {
  storage: Storage
  engineGenerations: EngineGenerations
}

/** Loading a workspace registers its answering generations with the engine, which opens them on first use. */
export const createGenerationRegistry = ({ storage, engineGenerations }: RegistryDependencies) => {
  const workspaces = new Map<string, ReadonlyMap<string, CollectionEntry>>()
  /** Workspaces to load again, or `allKeys`: their load failed, or a newly promoted generation could not be opened. */
  const stale = new Set<string>()
  const loading = new Map<string, Promise<unknown>>()
  const loadLocks = createKeyedLocks()

  const findEntry = (workspaceId: string, collection: string): CollectionEntry | undefined =>
    workspaces.get(workspaceId)?.get(collection)
  const findLive = (workspaceId: string, collection: string): GenerationEntry | undefined =>
    findEntry(workspaceId, collection)?.live
  /** The live generation, or the one before it until the live one can be opened. */
  const findServing = (workspaceId: string, collection: string): GenerationEntry | undefined =>
    findEntry(workspaceId, collection)?.promoted[0]

  const loadUnlocked = async (workspaceId: string): Promise<GenerationRow[]> => {
    const rows = await listGenerations(storage.db, workspaceId)
    const definition = (await findWorkspaceById(storage.db, workspaceId))?.definition
    const readEntry = async (collection: string, collectionRows: GenerationRow[]) => {
      const complete = collectionRows.filter(row => row.state === 'ready')
      const answeringGenerations = definition ? answeringRows(complete, definition, collection) : []
      const serving = findServing(workspaceId, collection)
      return readCollection(engineGenerations, complete, answeringGenerations, serving)
    }
    // In parallel, so that one collection that hangs doesn't hold up the others.
    const entries = new Map(
      await Promise.all(
        [...Map.groupBy(rows, row => row.collection)].map(
          async ([collection, group]) => [collection, await readEntry(collection, group)] as const,
        ),
      ),
    )
    workspaces.set(workspaceId, entries)
    const servesLive = [...entries.values()].every(({ live, promoted }) => live === promoted[0])
    if (servesLive) stale.delete(workspaceId)
    else stale.add(workspaceId)
    return rows
  }
  /** Reads a workspace's generations. Loads of a workspace run one after another, so that an older result never stays. */
  const load = (workspaceId: string): Promise<GenerationRow[]> => {
    const running = loadLocks.withExclusive(workspaceId, () => loadUnlocked(workspaceId))
    loading.set(workspaceId, running)
    const forget = () => {
      if (loading.get(workspaceId) === running) loading.delete(workspaceId)
    }
    running.then(forget, forget)
    return running
  }

  return {
    stale,
    findEntry,
    findLive,
    findServing,
    load,
    /** Waits for a load that is running now; never rejects. */
    async whenLoaded(workspaceId: string) {
      // The caller that started the load gets its failure.
      await loading.get(workspaceId)?.catch(() => {})
    },
    /** Runs `work` while no load of the workspace runs. */
    withoutLoads: <T>(workspaceId: string, work: () => Promise<T>): Promise<T> =>
      loadLocks.withExclusive(workspaceId, work),
    /** Loads the workspace if another node has changed the live generation. Call it with the collection's lock. */
    async catchUp(workspaceId: string, collection: string) {
      const live = await findLiveGeneration(storage.db, workspaceId, collection)
      if ((live && makeEngineId(live)) !== findLive(workspaceId, collection)?.id) await load(workspaceId)
    },
    /** The workspace's collections that have generations. */
    listEntries: (workspaceId: string) => [...(workspaces.get(workspaceId) ?? [])],
    /** Opens the serving generations that were promoted last. If one cannot be opened, the engine reports it and tries again on use. */
    async openNewest(max: number) {
      const newest = [...workspaces.values()]
        .flatMap(entries => [...entries.values()].map(({ promoted }) => promoted[0]))
        .filter(entry => entry !== undefined)
        .toSorted((a, b) => (b.row.promoted_at ?? 0) - (a.row.promoted_at ?? 0))
        .slice(0, max)
        .filter(({ id }) => !engineGenerations.isOpened(id))
      // A later use opens it, and says why it cannot.
      await Promise.all(newest.map(({ row }) => engineGenerations.openNow(row).catch(() => {})))
    },
  }
}

/** Registers the live and answering generations with the engine. An error of opening one reaches those who use it. */
const readCollection = async (
  engineGenerations: EngineGenerations,
  complete: GenerationRow[],
  answeringGenerations: readonly GenerationRow[],
  serving: GenerationEntry | undefined,
): Promise<CollectionEntry> => {
  const [live] = sortPromoted(complete)
  if (live) await engineGenerations.openLazily(live)
  for (const row of answeringGenerations) await engineGenerations.openLazily(row)
  const promoted = sortPromoted(complete)
    .filter(row => engineGenerations.registered.has(makeEngineId(row)))
    .map(row => ({
      id: makeEngineId(row),
      name: generationName(row),
      row,
      specKey: specKey(readSpec(row)),
    }))
  return {
    rows: complete,
    live: promoted[0],
    promoted: await replaceServing(engineGenerations, promoted, serving),
  }
}

/**
 * Returns the promoted generations from the one that serves next. A new live generation is opened before it replaces another one. While
 * it cannot be opened, as when its index is damaged, the previous one goes on serving if it still exists.
 */
const replaceServing = async (
  { openNow }: EngineGenerations,
  promoted: GenerationEntry[],
  serving: GenerationEntry | undefined,
): Promise<GenerationEntry[]> => {
  const [live] = promoted
  const servingIndex = promoted.findIndex(({ id }) => id === serving?.id)
  if (!live || servingIndex < 1) return promoted
  const canBeOpened = await openNow(live.row).then(
    () => true,
    () => false,
  )
  return canBeOpened ? promoted : promoted.slice(servingIndex)
}
