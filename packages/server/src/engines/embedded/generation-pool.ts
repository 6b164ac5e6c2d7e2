/**
 * Opens and closes generations in the addon. At most `openMax` are open: opening another closes the least recently used one that is not
 * in use. If all are in use, the pool exceeds `openMax` for a while.
 */
import type { NativeEngine } from '@querent/engine'
import { EngineError, type GenerationFailure } from '#engines/engine'
import { unwrapOutcome } from '#engines/outcome'
import { createKeyedQueue, createSemaphore } from '#engines/queues'
import { createPoolPlaces, type Generation } from './pool-places.ts'
import { createVersionCache } from './version-cache.ts'

export interface PoolDependencies {
  native: NativeEngine
  /** Maximum number of open generations. */
  openMax: number
  /** At least this many writes of the generation were durable. */
  knownWrites: (id: string) => number
  /** Reports why the index of a generation that was opened must be rebuilt. */
  onIndexLost: (id: string, reason: string, startedMs: number) => void
  /** Called after each opening, and when a generation is removed: then failures to open it no longer count. */
  onOpened: (id: string) => void
  /** Reports why a generation could not be opened; not called again for the same message. */
  onOpenFailed: (id: string, failure: GenerationFailure) => void
}

/** Opening costs milliseconds of CPU and reads the whole index, so more at once would delay each of them. */
const concurrentOpenings = 4
/** Opening may read the whole index, so after a failure it is not retried for this long. */
const retryDelayMs = 1_000
/** After a failure it is also retried without a call, so that the list of failures is true. */
const idleRetryMs = 30_000

export type GenerationPool = ReturnType<typeof createGenerationPool>

export const createGenerationPool = (
  { native, openMax, knownWrites, onIndexLost, onOpened, onOpenFailed }: PoolDependencies,
  isRegistered: (generation: Generation) => boolean,
) => {
  const inOrder = createKeyedQueue()
  const limitOpenings = createSemaphore(concurrentOpenings)
  const versions = createVersionCache(native)
  const places = createPoolPlaces({ native, openMax, inOrder, versions })
  let uses = 0
  let isClosed = false

  const openInAddon = async (generation: Generation): Promise<void> => {
    const { id, spec } = generation
    if (!isRegistered(generation)) throw new EngineError('unavailable', `no generation \`${id}\` is open`)
    const startedMs = performance.now()
    const { head: rebuildReason } = unwrapOutcome(await native.open(id, spec, knownWrites(id)))
    // Meanwhile the generation may have got another spec, or may have been removed.
    generation.isOpen = generation.spec === spec && isRegistered(generation)
    generation.lastUse = ++uses
    generation.closedInfo = undefined
    versions.delete(id)
    generation.failureMessage = undefined
    onOpened(id)
    if (rebuildReason !== undefined) onIndexLost(id, rebuildReason, startedMs)
  }
  const open = async (generation: Generation): Promise<void> => {
    if (generation.isOpen) return
    try {
      await places.take(generation)
      await limitOpenings(() => openInAddon(generation))
    } catch (error) {
      places.leave(generation)
      if (!isRegistered(generation)) throw error
      const message = error instanceof Error ? error.message : String(error)
      const code = error instanceof EngineError ? error.code : 'fault'
      if (!isClosed && message !== generation.failureMessage) onOpenFailed(generation.id, { code, message })
      generation.failureMessage = message
      generation.recentFailure = error
      setTimeout(() => {
        generation.recentFailure = undefined
      }, retryDelayMs).unref()
      clearTimeout(generation.idleRetry)
      generation.idleRetry = setTimeout(() => {
        if (!isClosed && isRegistered(generation) && generation.failureMessage !== undefined)
          // `ensureOpen` announces a failure.
          ensureOpen(generation).catch(() => {})
      }, idleRetryMs).unref()
      throw error
    }
  }
  const ensureOpen = async (generation: Generation): Promise<void> => {
    while (!generation.isOpen) {
      if (generation.recentFailure !== undefined) throw generation.recentFailure
      generation.openPromise ??= inOrder(generation.id, () => open(generation)).finally(() => {
        generation.openPromise = undefined
      })
      await generation.openPromise
    }
  }

  return {
    versions,
    /** Marks the generation as used until `unpin`, so that it is not closed. It may still have to be opened. */
    pin(generation: Generation): void {
      generation.users++
      generation.lastUse = ++uses
    },
    unpin(generation: Generation): void {
      generation.users--
      if (generation.users === 0) places.closeExcess()
    },
    /** Resolves when the generation is open. It stays open only while it is pinned. */
    ensureOpen,
    /** Closes a generation that is no longer registered, with the given call of the addon. */
    remove(id: string, generation: Generation | undefined, call: 'release' | 'drop'): Promise<void> {
      return inOrder(id, async () => {
        // A call that waited for it may have opened it, or the pool may have closed it.
        if (generation) Object.assign(generation, { isOpen: false, closedInfo: undefined })
        const outcome = await native[call](id)
        if (generation) {
          places.leave(generation)
          clearTimeout(generation.idleRetry)
        }
        onOpened(id)
        versions.delete(id)
        unwrapOutcome(outcome)
      })
    },
    /** Stops reporting failures, because the addon is about to close all generations. */
    close(): void {
      isClosed = true
    },
  }
}
