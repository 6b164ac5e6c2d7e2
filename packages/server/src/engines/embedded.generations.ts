/**
 * Which generations of the embedded engine are open. One that was opened `later` is opened by who uses it first. Where more than `openMax`
 * would be, those used longest ago are closed, never one in use; when all are, one more is open for a while. Opened again, a generation is
 * what it was, its version too.
 */
import type { NativeEngine } from '@querent/engine'
import { answered, inWords } from './embedded.outcome.ts'
import { EngineError, type GenerationInfo } from './engine.ts'

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
}

interface Dependencies {
  native: NativeEngine
  /** How many are open at once. */
  openMax: number
  /** Searches that may wait for one to be opened. */
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

export type Generations = ReturnType<typeof openGenerations>

export const openGenerations = ({ native, openMax, waitingMax, onLost, onTrouble }: Dependencies) => {
  const known = new Map<string, Generation>()
  /** Those that are open, being opened or being closed. */
  const held = new Set<Generation>()
  /** By id: the last change of what is open, which the next waits for. */
  const changing = new Map<string, Promise<unknown>>()
  const waitingForTurn: (() => void)[] = []
  let turns = openedAtOnce
  let uses = 0
  let waiting = 0
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

  const close = (generation: Generation): Promise<void> => {
    const { id } = generation
    const { rebuilding, ...info } = inWords(() => native.info(id))
    generation.left = rebuilding ? undefined : { ...info, state: 'ready' }
    generation.isOpen = false
    return alone(id, async () => {
      const { head } = await native.release(id)
      held.delete(generation)
      // Written by the addon.
      if (head !== undefined) generation.left = { ...(JSON.parse(head) as typeof info), state: 'ready' }
      versions.delete(id)
    })
  }
  const makeRoomFor = async (generation: Generation): Promise<void> => {
    while (held.size >= openMax) {
      let oldest: Generation | undefined
      for (const each of held)
        if (each.isOpen && each.users === 0 && each.usedAt < (oldest?.usedAt ?? Number.POSITIVE_INFINITY))
          oldest = each
      if (!oldest) break
      await close(oldest)
    }
    held.add(generation)
  }
  const openNow = async (generation: Generation): Promise<void> => {
    const { id, spec } = generation
    if (generation.isOpen) return
    if (known.get(id) !== generation) throw new EngineError('unavailable', `no generation \`${id}\` is open`)
    const beganMs = performance.now()
    await makeRoomFor(generation)
    try {
      const { head: reason } = answered(await native.open(id, spec))
      // Another may be wanted since.
      generation.isOpen = generation.spec === spec
      generation.usedAt = ++uses
      generation.left = undefined
      generation.trouble = undefined
      if (reason !== undefined) onLost(id, reason, beganMs)
    } catch (error) {
      held.delete(generation)
      const message = error instanceof Error ? error.message : String(error)
      if (!isClosed && message !== generation.trouble) onTrouble(id, message)
      generation.trouble = message
      throw error
    }
  }
  /** Resolves when it was opened; it stays so only while it has users. */
  const opened = async (generation: Generation): Promise<void> => {
    while (!generation.isOpen) {
      generation.opening ??= alone(generation.id, () => inTurn(() => openNow(generation))).finally(() => {
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
  }
  /** The same for at most so long. */
  const openedWithin = async (generation: Generation, ms: number, signal?: AbortSignal): Promise<void> => {
    if (waiting >= waitingMax) throw new EngineError('overloaded', 'too many searches are waiting')
    const { promise: givenUp, reject } = Promise.withResolvers<never>()
    const onAbort = () => reject(new EngineError('cancelled', 'whoever asked has given the query up'))
    const late = () =>
      reject(new EngineError('timeout', 'opening the documents took longer than the deadline'))
    const timer = setTimeout(late, ms)
    signal?.addEventListener('abort', onAbort, { once: true })
    waiting++
    try {
      await Promise.race([opened(generation), givenUp])
    } finally {
      waiting--
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    }
  }

  /** Asked of the addon only where something has changed since. */
  const versions = new Map<string, number>()
  let changes: number | undefined

  return {
    async open(id: string, spec: string, later: boolean): Promise<void> {
      const before = known.get(id)
      const generation = before ?? unopened(id, spec)
      known.set(id, generation)
      if (generation.spec !== spec) {
        // The addon closes one that is open with another.
        Object.assign(generation, { spec, isOpen: false, left: undefined })
      }
      if (later) return
      begin(generation)
      try {
        await opened(generation)
      } catch (error) {
        if (!before) known.delete(id)
        throw error
      } finally {
        end(generation)
      }
    },
    /** Closes it for good: `release` or `drop` of the addon. */
    end(id: string, how: 'release' | 'drop'): Promise<void> {
      const generation = known.get(id)
      known.delete(id)
      if (generation) generation.isOpen = false
      return alone(id, async () => {
        answered(await native[how](id))
        if (generation) held.delete(generation)
        versions.delete(id)
      })
    },
    /** Undefined: `info` and `version` know it, or nobody opened it. */
    whenOpened(id: string): Promise<void> | undefined {
      const generation = known.get(id)
      if (!generation || generation.isOpen || generation.left) return undefined
      return openedWithin(generation, infoMsMax)
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
})
