/**
 * Registry of the generations of the embedded engine. A generation that was registered with `deferred` is opened at its first use. The
 * pool may close it again; reopening it restores it with the same version.
 */
import type { NativeEngine } from '@querent/engine'
import { EngineError, type GenerationInfo } from '#engines/engine'
import { canceledByCaller, withEngineErrors } from '#engines/outcome'
import { createGenerationPool, type GenerationPool, type PoolDependencies } from './generation-pool.ts'
import { createGeneration, type Generation } from './pool-places.ts'

interface Dependencies extends PoolDependencies {
  /** Maximum number of generations that calls wait for, and of calls that wait for each. */
  waitersMax: number
}

/** Default time that a caller of `whenOpened` waits for an opening. */
const infoMsMax = 5_000

export type Generations = ReturnType<typeof openGenerations>

export const openGenerations = ({ waitersMax, ...deps }: Dependencies) => {
  const { native, onOpened } = deps
  const registered = new Map<string, Generation>()
  /** Generations that were removed while in use. If one is registered again meanwhile, its users see the same object. */
  const removedInUse = new Map<string, Generation>()
  const isRegistered = (generation: Generation): boolean => registered.get(generation.id) === generation
  const pool = createGenerationPool(deps, isRegistered)
  const waitUntilOpen = createBoundedWait(pool, waitersMax)
  let registrations = 0

  const unpin = (generation: Generation): void => {
    pool.unpin(generation)
    if (generation.users === 0 && removedInUse.get(generation.id) === generation)
      removedInUse.delete(generation.id)
  }
  const register = (id: string, spec: string): Generation => {
    const generation = registered.get(id) ?? removedInUse.get(id) ?? createGeneration(id, spec)
    registered.set(id, generation)
    removedInUse.delete(id)
    generation.registration = ++registrations
    if (generation.spec !== spec) {
      // The addon closes one that is open with another spec.
      Object.assign(generation, { spec, isOpen: false, closedInfo: undefined, recentFailure: undefined })
      pool.versions.delete(id)
    }
    return generation
  }
  const closedVersion = (id: string): number | undefined => registered.get(id)?.closedInfo?.version

  return {
    async open(id: string, spec: string, isDeferred: boolean): Promise<void> {
      const isNew = !registered.has(id)
      const generation = register(id, spec)
      if (isDeferred) return
      const { registration } = generation
      generation.recentFailure = undefined
      pool.pin(generation)
      try {
        await pool.ensureOpen(generation)
      } catch (error) {
        // Keep it if another caller has registered it meanwhile.
        if (isNew && generation.registration === registration && isRegistered(generation)) {
          registered.delete(id)
          clearTimeout(generation.idleRetry)
          onOpened(id)
        }
        throw error
      } finally {
        unpin(generation)
      }
    },
    /** Removes it from the registry and closes it with the given call of the addon. */
    remove(id: string, call: 'release' | 'drop'): Promise<void> {
      const generation = registered.get(id)
      registered.delete(id)
      if (generation) {
        Object.assign(generation, { isOpen: false, closedInfo: undefined, recentFailure: undefined })
        if (generation.users > 0) removedInUse.set(id, generation)
      }
      return pool.remove(id, generation, call)
    },
    isOpened: (id: string): boolean => hasInfo(registered.get(id)),
    whenOpened(id: string, ms = infoMsMax, signal?: AbortSignal): Promise<void> | undefined {
      const generation = registered.get(id)
      return generation && !hasInfo(generation) ? waitUntilOpen(generation, ms, signal) : undefined
    },
    info: (id: string): GenerationInfo => registered.get(id)?.closedInfo ?? readOpenInfo(native, id),
    version: (id: string): number => pool.versions.get(id, closedVersion),
    /**
     * Returns the generation, which is not closed before `unpin`; it may still have to be opened. Returns undefined for an unregistered
     * id, which the addon then rejects.
     */
    pin(id: string): Generation | undefined {
      const generation = registered.get(id)
      if (generation) pool.pin(generation)
      return generation
    },
    unpin(generation: Generation | undefined): void {
      if (generation) unpin(generation)
    },
    waitUntilOpen,
    /** Runs `work` while the generation is open. */
    async withOpen<T>(id: string, work: () => Promise<T>): Promise<T> {
      const generation = registered.get(id)
      if (!generation) return work()
      pool.pin(generation)
      try {
        if (!generation.isOpen) await pool.ensureOpen(generation)
        return await work()
      } finally {
        unpin(generation)
      }
    },
    /** Call this before the addon closes all generations. */
    close(): void {
      pool.close()
      for (const generation of registered.values())
        Object.assign(generation, { isOpen: false, closedInfo: undefined })
    },
  }
}

const readOpenInfo = (native: NativeEngine, id: string): GenerationInfo => {
  const { rebuilding, ...info } = withEngineErrors(() => native.info(id))
  if (!rebuilding) return { ...info, state: 'ready' }
  const { done, total } = rebuilding
  return { ...info, state: { rebuilding: { done, total } } }
}

/** Reports whether `info` and `version` can answer without opening it. */
const hasInfo = (generation: Generation | undefined): boolean =>
  generation === undefined || generation.isOpen || generation.closedInfo !== undefined

/**
 * Returns a function that waits until a generation is open: for `ms` at most, and until `signal` is aborted. All who wait for the same
 * generation count as one against the maximum number of generations.
 */
const createBoundedWait = (pool: GenerationPool, waitersMax: number) => {
  let awaitedGenerations = 0
  return async (generation: Generation, ms: number, signal?: AbortSignal): Promise<void> => {
    if (signal?.aborted) throw canceledByCaller()
    if ((generation.waiters === 0 ? awaitedGenerations : generation.waiters) >= waitersMax)
      throw new EngineError('overloaded', 'too many searches are waiting')
    const { promise: interruption, reject } = Promise.withResolvers<never>()
    const onAbort = () => reject(canceledByCaller())
    const onTimeout = () =>
      reject(new EngineError('timeout', 'opening the documents took longer than the deadline'))
    const timer = setTimeout(onTimeout, ms)
    signal?.addEventListener('abort', onAbort, { once: true })
    if (generation.waiters++ === 0) awaitedGenerations++
    try {
      await Promise.race([pool.ensureOpen(generation), interruption])
    } finally {
      if (--generation.waiters === 0) awaitedGenerations--
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    }
  }
}
