/**
 * Which generations of the embedded engine are open. One that was opened `later` is opened by who uses it first. Where more than `openMax`
 * would be, those used longest ago are closed, never one in use; when all are, one more is open for a while. Opened again, a generation is
 * what it was, its version too.
 */
import type { NativeEngine, Outcome } from '@querent/engine'
import { EngineError, type GenerationInfo } from '#engines/engine'
import { answered, inWords } from './outcome.ts'

/** One that was opened, now or later. */
export interface Generation {
  id: string
  /** JSON of its spec. */
  spec: string
  isOpen: boolean
  /** Calls that use it: it is not closed under them. */
  users: number
  /** Rises with each use of any. */
  usedAt: number
  /** While it is being opened. */
  opening: Promise<void> | undefined
  /** What it was when it was closed. */
  left: GenerationInfo | undefined
  /** Why it could not be opened the last time. */
  trouble: string | undefined
  /** The same while it is not tried again. */
  failure: unknown
  /** Calls that wait until it is opened. */
  waiting: number
  /** Rises with each `open` of any. */
  registeredAs: number
}

interface Dependencies {
  native: NativeEngine
  /** How many are open at once. */
  openMax: number
  /** How many may be waited for at once, and by how many calls each. */
  waitingMax: number
  /** Is told why the index of one that was opened has to be built again. */
  onLost: (id: string, reason: string, beganMs: number) => void
  /** Is told why one could not be opened, unless it was told that before. */
  onTrouble: (id: string, message: string) => void
}

/** Opening takes the processor for milliseconds, and reads all of an index: more at once make each wait longer. */
const openedAtOnce = 4
/** Who only asks what there is waits so long for an opening. */
const infoMsMax = 5_000
/** One that could not be opened is not tried again for so long: that may read all of it. */
const failureMs = 1_000

export type Generations = ReturnType<typeof openGenerations>

export const openGenerations = ({ native, openMax, waitingMax, onLost, onTrouble }: Dependencies) => {
  const known = new Map<string, Generation>()
  /** Those that ended while they had users: opened again, each is the same to them. */
  const departing = new Map<string, Generation>()
  /** Those that are open, being opened or being closed. */
  const held = new Set<Generation>()
  const closing = new Set<Promise<void>>()
  /** By id: the last change of what is open, which the next waits for. */
  const changing = new Map<string, Promise<unknown>>()
  const waitingForTurn: (() => void)[] = []
  let turns = openedAtOnce
  let uses = 0
  let registrations = 0
  let waitedFor = 0
  let isClosed = false

  const alone = <T>(id: string, change: () => Promise<T>): Promise<T> => {
    const changed = (changing.get(id) ?? Promise.resolve()).then(change, change)
    changing.set(id, changed)
    const forget = () => {
      if (changing.get(id) === changed) changing.delete(id)
    }
    changed.then(forget, forget)
    return changed
  }
  const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
    if (turns > 0) turns--
    else await new Promise<void>(resolve => waitingForTurn.push(resolve))
    try {
      return await work()
    } finally {
      const next = waitingForTurn.shift()
      if (next) next()
      else turns++
    }
  }

  const infoNow = (id: string): GenerationInfo | undefined => {
    try {
      const { rebuilding, ...info } = native.info(id)
      return rebuilding ? undefined : { ...info, state: 'ready' }
    } catch {
      // The addon has closed it by itself.
      return undefined
    }
  }
  /** Never rejects: what the addon could not close is opened again like any other. */
  const close = (generation: Generation): Promise<void> => {
    const { id, spec } = generation
    generation.left = infoNow(id)
    generation.isOpen = false
    const closed = alone(id, async () => {
      const { code, head } = await native.release(id).catch((): Outcome => ({ code: 'fault' }))
      held.delete(generation)
      versions.delete(id)
      // Written by the addon. Without it nobody knows which of the writes are findable: it is opened to be asked.
      const isKnown = code === undefined && head !== undefined && generation.spec === spec
      generation.left = isKnown
        ? { ...(JSON.parse(head) as Omit<GenerationInfo, 'state'>), state: 'ready' }
        : undefined
    })
    closing.add(closed)
    void closed.finally(() => closing.delete(closed))
    return closed
  }
  const oldestIdle = (): Generation | undefined => {
    let oldest: Generation | undefined
    for (const each of held)
      if (each.isOpen && each.users === 0 && each.usedAt < (oldest?.usedAt ?? Number.POSITIVE_INFINITY))
        oldest = each
    return oldest
  }
  const makeRoomFor = async (generation: Generation): Promise<void> => {
    while (held.size >= openMax) {
      const oldest = oldestIdle()
      if (oldest) await close(oldest)
      else if (closing.size > 0) await Promise.race(closing)
      else break
    }
    held.add(generation)
  }
  const isRegistered = (generation: Generation): boolean => known.get(generation.id) === generation
  const openInAddon = async (generation: Generation): Promise<void> => {
    const { id, spec } = generation
    if (!isRegistered(generation)) throw new EngineError('unavailable', `no generation \`${id}\` is open`)
    const beganMs = performance.now()
    const { head: reason } = answered(await native.open(id, spec))
    // Another may be wanted since, or none.
    generation.isOpen = generation.spec === spec && isRegistered(generation)
    generation.usedAt = ++uses
    generation.left = undefined
    versions.delete(id)
    generation.trouble = undefined
    if (reason !== undefined) onLost(id, reason, beganMs)
  }
  const openNow = async (generation: Generation): Promise<void> => {
    if (generation.isOpen) return
    try {
      await makeRoomFor(generation)
      await inTurn(() => openInAddon(generation))
    } catch (error) {
      held.delete(generation)
      if (!isRegistered(generation)) throw error
      const message = error instanceof Error ? error.message : String(error)
      if (!isClosed && message !== generation.trouble) onTrouble(generation.id, message)
      generation.trouble = message
      generation.failure = error
      setTimeout(() => {
        generation.failure = undefined
      }, failureMs).unref()
      throw error
    }
  }
  /** Resolves when it was opened; it stays so only while it has users. */
  const opened = async (generation: Generation): Promise<void> => {
    while (!generation.isOpen) {
      if (generation.failure !== undefined) throw generation.failure
      generation.opening ??= alone(generation.id, () => openNow(generation)).finally(() => {
        generation.opening = undefined
      })
      await generation.opening
    }
  }
  const begin = (generation: Generation): void => {
    generation.users++
    generation.usedAt = ++uses
  }
  const end = (generation: Generation): void => {
    generation.users--
    if (generation.users > 0) return
    if (departing.get(generation.id) === generation) departing.delete(generation.id)
    // More than `openMax` were in use; the next to be opened need not pay for it.
    const excess = held.size - closing.size > openMax ? oldestIdle() : undefined
    if (excess) void close(excess)
  }
  /** The same for at most so long. Those who wait for one take the place of one. */
  const openedWithin = async (generation: Generation, ms: number, signal?: AbortSignal): Promise<void> => {
    if (signal?.aborted) throw givenUpByCaller()
    if ((generation.waiting === 0 ? waitedFor : generation.waiting) >= waitingMax)
      throw new EngineError('overloaded', 'too many searches are waiting')
    const { promise: givenUp, reject } = Promise.withResolvers<never>()
    const onAbort = () => reject(givenUpByCaller())
    const late = () =>
      reject(new EngineError('timeout', 'opening the documents took longer than the deadline'))
    const timer = setTimeout(late, ms)
    signal?.addEventListener('abort', onAbort, { once: true })
    if (generation.waiting++ === 0) waitedFor++
    try {
      await Promise.race([opened(generation), givenUp])
    } finally {
      if (--generation.waiting === 0) waitedFor--
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    }
  }
  const isKnown = (generation: Generation | undefined): boolean =>
    generation === undefined || generation.isOpen || generation.left !== undefined

  /** Asked of the addon only where something has changed since. */
  const versions = new Map<string, number>()
  let changes: number | undefined

  return {
    async open(id: string, spec: string, later: boolean): Promise<void> {
      const isNew = !known.has(id)
      const generation = known.get(id) ?? departing.get(id) ?? unopened(id, spec)
      known.set(id, generation)
      departing.delete(id)
      const registeredAs = ++registrations
      generation.registeredAs = registeredAs
      if (generation.spec !== spec) {
        // The addon closes one that is open with another.
        Object.assign(generation, { spec, isOpen: false, left: undefined, failure: undefined })
        versions.delete(id)
      }
      if (later) return
      generation.failure = undefined
      begin(generation)
      try {
        await opened(generation)
      } catch (error) {
        // Unless somebody else wants it by now.
        if (isNew && generation.registeredAs === registeredAs && isRegistered(generation)) known.delete(id)
        throw error
      } finally {
        end(generation)
      }
    },
    /** Closes it for good: `release` or `drop` of the addon. */
    end(id: string, how: 'release' | 'drop'): Promise<void> {
      const generation = known.get(id)
      known.delete(id)
      if (generation) {
        Object.assign(generation, { isOpen: false, left: undefined, failure: undefined })
        if (generation.users > 0) departing.set(id, generation)
      }
      return alone(id, async () => {
        // It may have been opened by who waited for that, or closed meanwhile.
        if (generation) Object.assign(generation, { isOpen: false, left: undefined })
        const outcome = await native[how](id)
        if (generation) held.delete(generation)
        versions.delete(id)
        answered(outcome)
      })
    },
    /** Whether `info` and `version` know it, or nobody opened it. */
    isOpened: (id: string): boolean => isKnown(known.get(id)),
    /** Undefined: they do. */
    whenOpened(id: string, ms = infoMsMax, signal?: AbortSignal): Promise<void> | undefined {
      const generation = known.get(id)
      return generation && !isKnown(generation) ? openedWithin(generation, ms, signal) : undefined
    },
    info(id: string): GenerationInfo {
      const left = known.get(id)?.left
      if (left) return left
      const { rebuilding, ...info } = inWords(() => native.info(id))
      if (!rebuilding) return { ...info, state: 'ready' }
      const { done, total } = rebuilding
      return { ...info, state: { rebuilding: { done, total } } }
    },
    version(id: string): number {
      const now = native.changes()
      if (now !== changes) versions.clear()
      changes = now
      const before = versions.get(id)
      if (before !== undefined) return before
      const version = known.get(id)?.left?.version ?? inWords(() => native.version(id))
      versions.set(id, version)
      return version
    },
    /** One that is in use from now on, until `end`; it may have to be opened. Undefined: nobody opened it, and the addon says so. */
    begun(id: string): Generation | undefined {
      const generation = known.get(id)
      if (generation) begin(generation)
      return generation
    },
    ended(generation: Generation | undefined): void {
      if (generation) end(generation)
    },
    openedWithin,
    /** Does `work` while the generation is open. */
    async within<T>(id: string, work: () => Promise<T>): Promise<T> {
      const generation = known.get(id)
      if (!generation) return work()
      begin(generation)
      try {
        if (!generation.isOpen) await opened(generation)
        return await work()
      } finally {
        end(generation)
      }
    },
    /** The addon is about to close all of them, and opens none any more. */
    close(): void {
      isClosed = true
      for (const generation of known.values()) Object.assign(generation, { isOpen: false, left: undefined })
    },
  }
}

const unopened = (id: string, spec: string): Generation => ({
  id,
  spec,
  isOpen: false,
  users: 0,
  usedAt: 0,
  opening: undefined,
  left: undefined,
  trouble: undefined,
  failure: undefined,
  waiting: 0,
  registeredAs: 0,
})

const givenUpByCaller = () => new EngineError('cancelled', 'whoever asked has given the query up')
