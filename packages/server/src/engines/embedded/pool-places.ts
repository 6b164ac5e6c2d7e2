/** The generations that occupy a place of the pool. */
import type { NativeEngine, Outcome } from '@querent/engine'
import type { GenerationInfo } from '#engines/engine'
import type { createKeyedQueue } from '#engines/queues'
import type { VersionCache } from './version-cache.ts'

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

interface Dependencies {
  native: NativeEngine
  openMax: number
  inOrder: ReturnType<typeof createKeyedQueue>
  versions: VersionCache
}

export const createPoolPlaces = ({ native, openMax, inOrder, versions }: Dependencies) => {
  /** Generations that are open, being opened or being closed. */
  const occupied = new Set<Generation>()
  const closing = new Set<Promise<void>>()

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
  /** Waits for a place, and closes the least recently used generation if there is none. */
  const take = async (generation: Generation): Promise<void> => {
    while (occupied.size >= openMax) {
      const idle = leastRecentlyUsed(occupied)
      if (idle) await close(idle)
      else if (closing.size > 0) await Promise.race(closing)
      else break
    }
    occupied.add(generation)
  }

  return {
    take,
    leave: (generation: Generation): void => void occupied.delete(generation),
    /** The pool exceeded `openMax` while more were in use. Closing one now spares the next opening that work. */
    closeExcess(): void {
      const excess = occupied.size - closing.size > openMax ? leastRecentlyUsed(occupied) : undefined
      if (excess) void close(excess)
    },
  }
}

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
