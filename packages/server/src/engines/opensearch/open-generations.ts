/** The generations that this process has opened, or opens at their first use. */
import { EngineError, type GenerationInfo, type GenerationSpec, type RebuildEvent } from '#engines/engine'
import { createKeyedQueue } from '#engines/queues'
import { createGenerationOpener } from './generation-opener.ts'
import type { Indexes } from './indexes.ts'
import { createLazyGenerations, withDeadline } from './lazy-generations.ts'
import { applyVersion, createRefresher, type OpenGeneration } from './open-generation.ts'
import type { GenerationVersions } from './versions.ts'

interface Dependencies {
  indexes: Indexes
  versions: GenerationVersions
  /** Throws if the cluster is unreachable or incompatible. */
  assertCompatible: () => Promise<void>
  /** Reports whether the cluster can search vectors. */
  hasVectorSearch: () => Promise<boolean>
  emit: (event: RebuildEvent) => void
}

export type OpenGenerations = ReturnType<typeof openGenerations>

export function openGenerations(deps: Dependencies) {
  const { indexes, versions, emit } = deps
  const generations = new Map<string, OpenGeneration>()
  const refresher = createRefresher({ indexes, versions, generations })
  const opener = createGenerationOpener({
    ...deps,
    generations,
    refresher,
    onOpened: id => lazy.forget(id),
  })
  /** Runs opening, releasing and dropping of one generation one after the other. */
  const inOrder = createKeyedQueue()
  const lazy = createLazyGenerations({
    open: (id, spec, isWanted) =>
      inOrder(id, async () => {
        if (isWanted()) await opener.open(id, spec)
        // Throws if it was released meanwhile.
        findOpen(id)
      }),
    onOpenFailed: (generation, message) => emit({ generation, documents: 0, state: 'open-failed', message }),
  })
  const stopListening = versions.onChange(changedId => applyChange({ generations, versions }, changedId))

  const findOpen = (id: string): OpenGeneration => {
    const generation = generations.get(id)
    if (generation === undefined) throw new EngineError('unavailable', `the generation ${id} is not open`)
    return generation
  }

  return {
    refresher,
    /** Throws `unavailable` if it is not open. */
    findOpen,
    /** Throws `unavailable` if it is not open, or its index is being rebuilt. */
    findReady(id: string): OpenGeneration {
      const generation = findOpen(id)
      if (generation.rebuilding)
        throw new EngineError('unavailable', `the index of the generation ${id} is being rebuilt`)
      return generation
    },
    isOpen: (id: string): boolean => generations.has(id),
    /** Whether it is open, or was never deferred. */
    isOpened: (id: string): boolean => generations.has(id) || !lazy.has(id),
    /** Returns the generation, after opening it if that was deferred. */
    async ensureOpen(id: string): Promise<OpenGeneration> {
      if (!generations.has(id)) await lazy.ensureOpen(id)
      return findOpen(id)
    },
    /** Waits until it is open, at most until the deadline. */
    waitUntilOpen: (id: string, deadlineMs: number, signal: AbortSignal | undefined) =>
      withDeadline(() => lazy.ensureOpen(id), deadlineMs, signal),
    async open(id: string, spec: GenerationSpec, isDeferred = false): Promise<void> {
      if (generations.has(id)) return inOrder(id, () => opener.open(id, spec))
      if (isDeferred && !lazy.has(id)) lazy.add(id, spec)
      if (isDeferred) return
      await (lazy.retryOpen(id) ?? inOrder(id, () => opener.open(id, spec)))
    },
    release(id: string): Promise<void> {
      lazy.forget(id)
      return inOrder(id, () => opener.release(id))
    },
    drop(id: string): Promise<void> {
      lazy.forget(id)
      return inOrder(id, () => opener.drop(id))
    },
    info(id: string): GenerationInfo {
      const { documents, version, rebuilding } = findOpen(id)
      return { documents, version, state: rebuilding ? { rebuilding } : 'ready' }
    },
    stopListening,
    async releaseAll(): Promise<void> {
      lazy.forgetAll()
      await Promise.all([...generations.keys()].map(id => inOrder(id, () => opener.release(id))))
    },
  }
}

/** Takes over the stored version of one generation, or of all. */
function applyChange(
  {
    generations,
    versions,
  }: { generations: ReadonlyMap<string, OpenGeneration>; versions: GenerationVersions },
  changedId: string | undefined,
): void {
  for (const [id, generation] of generations)
    if (changedId === undefined || changedId === id)
      // If the storage fails, it reports a change of any generation when it is back.
      void versions.read(id).then(
        stored => applyVersion(generation, stored),
        () => {},
      )
}
