/**
 * Opens and closes generations in the addon. At most `openMax` are open: opening another closes the least recently used one that is not
 * in use. If all are in use, the pool exceeds `openMax` for a while.
 */
import type { NativeEngine, Outcome } from '@querent/engine'
import { EngineError, type GenerationFailure, type GenerationInfo } from '#engines/engine'
import { unwrapOutcome, withEngineErrors } from '#engines/outcome'
import { createKeyedQueue, createSemaphore } from '#engines/queues'

/** A registered generation. */
export interface Generation {
  id: string
  /** JSON of its spec. */
  spec: string
  isOpen: boolean
  /** Number of running calls that use it. The pool does not close it while there are any. */
  users: number
  /** Value of the pool's use counter at its last use. */
  lastUse: number
  /** Pending while it is being opened. */
  openPromise: Promise<void> | undefined
  /** Its info when it was closed. */
  closedInfo: GenerationInfo | undefined
  /** Message of the last failure to open it, which is reported once. */
  failureMessage: string | undefined
  /** The last failure to open it, for as long as it is not retried. */
  recentFailure: unknown
  /** Tries again later, after a failure. */
  idleRetry: NodeJS.Timeout | undefined
  /** Number of calls that wait for it with a deadline. */
  waiters: number
  /** Value of the registration counter at its last registration. */
  registration: number
}

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

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: older than the limit
export const createGenerationPool = (
  { native, openMax, knownWrites, onIndexLost, onOpened, onOpenFailed }: PoolDependencies,
  isRegistered: (generation: Generation) => boolean,
) => {
  /** Generations that are open, being opened or being closed. */
  const occupied = new Set<Generation>()
  const closing = new Set<Promise<void>>()
  const inOrder = createKeyedQueue()
  const limitOpenings = createSemaphore(concurrentOpenings)
  const versions = createVersionCache(native)
  let uses = 0
  let isClosed = false

  /** Never rejects: a generation that the addon could not close is reopened like any other. */
  const close = (generation: Generation): Promise<void> => {
    const { id, spec } = generation
    generation.closedInfo = readyInfo(native, id)
    generation.isOpen = false
    const closed = inOrder(id, async () => {
      const { code, head } = await native.release(id).catch((): Outcome => ({ code: 'fault' }))
      occupied.delete(generation)
      versions.delete(id)
      // Without the head nobody knows which writes are searchable, so `info` must reopen the generation.
      const isKnown = code === undefined && head !== undefined && generation.spec === spec
      generation.closedInfo = isKnown
        ? { ...(JSON.parse(head) as Omit<GenerationInfo, 'state'>), state: 'ready' }
        : undefined
    })
    closing.add(closed)
    void closed.finally(() => closing.delete(closed))
    return closed
  }
  const makeRoomFor = async (generation: Generation): Promise<void> => {
    while (occupied.size >= openMax) {
      const idle = leastRecentlyUsed(occupied)
      if (idle) await close(idle)
      else if (closing.size > 0) await Promise.race(closing)
      else break
    }
    occupied.add(generation)
  }
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
      await makeRoomFor(generation)
      await limitOpenings(() => openInAddon(generation))
    } catch (error) {
      occupied.delete(generation)
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
      if (generation.users > 0) return
      // The pool exceeded `openMax` while more were in use. Closing one now spares the next opening that work.
      const excess = occupied.size - closing.size > openMax ? leastRecentlyUsed(occupied) : undefined
      if (excess) void close(excess)
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
          occupied.delete(generation)
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

export const createGeneration = (id: string, spec: string): Generation => ({
  id,
  spec,
  isOpen: false,
  users: 0,
  lastUse: 0,
  openPromise: undefined,
  closedInfo: undefined,
  failureMessage: undefined,
  recentFailure: undefined,
  idleRetry: undefined,
  waiters: 0,
  registration: 0,
})

const leastRecentlyUsed = (generations: Iterable<Generation>): Generation | undefined => {
  let oldest: Generation | undefined
  for (const generation of generations)
    if (
      generation.isOpen &&
      generation.users === 0 &&
      generation.lastUse < (oldest?.lastUse ?? Number.POSITIVE_INFINITY)
    )
      oldest = generation
  return oldest
}

const readyInfo = (native: NativeEngine, id: string): GenerationInfo | undefined => {
  try {
    const { rebuilding, ...info } = native.info(id)
    return rebuilding ? undefined : { ...info, state: 'ready' }
  } catch {
    // The addon itself has closed it.
    return undefined
  }
}

/** Caches versions until the addon reports a change, because its `changes` costs a tenth of its `version`. */
const createVersionCache = (native: NativeEngine) => {
  const versions = new Map<string, number>()
  let lastChanges: number | undefined
  return {
    get(id: string, closedVersion: (id: string) => number | undefined): number {
      const changes = native.changes()
      if (changes !== lastChanges) versions.clear()
      lastChanges = changes
      const cached = versions.get(id)
      if (cached !== undefined) return cached
      const version = closedVersion(id) ?? withEngineErrors(() => native.version(id))
      versions.set(id, version)
      return version
    },
    delete: (id: string) => versions.delete(id),
  }
}
