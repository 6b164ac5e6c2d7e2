/** Opens generations at their first use, so that one that cannot be opened does not affect the others. */
import { EngineError, type GenerationSpec } from '#engines/engine'
import { ClusterUnreachable } from './cluster-check.ts'
import { canceledByCaller } from './failure.ts'

interface DeferredGeneration {
  spec: GenerationSpec
  /** Pending while it is being opened. */
  openPromise: Promise<void> | undefined
  /** The last failure, for as long as it is not retried. */
  failure: EngineError | undefined
  /** Message of the last failure, which is reported once. */
  lastMessage: string | undefined
}

interface Dependencies {
  /** Opens the generation, unless `isWanted` returns false when its turn comes. */
  open: (id: string, spec: GenerationSpec, isWanted: () => boolean) => Promise<void>
  /** Reports why a generation could not be opened; not called again for the same message. */
  onOpenFailed: (id: string, message: string) => void
}

/** After a failure, opening is not retried for this long, because each attempt costs OpenSearch several requests. */
const retryDelayMs = 1_000

export function createLazyGenerations({ open, onOpenFailed }: Dependencies) {
  const deferred = new Map<string, DeferredGeneration>()
  /** The last of the openings in the background. */
  let lastOpening: Promise<unknown> = Promise.resolve()

  const openNow = async (id: string, entry: DeferredGeneration): Promise<void> => {
    try {
      await open(id, entry.spec, () => deferred.get(id) === entry)
    } catch (error) {
      if (deferred.get(id) !== entry || !(error instanceof EngineError)) throw error
      entry.failure = error
      setTimeout(() => {
        entry.failure = undefined
      }, retryDelayMs).unref()
      // The log reports an unreachable cluster elsewhere; this is not a problem of one generation.
      if (error.message !== entry.lastMessage && !(error.cause instanceof ClusterUnreachable))
        onOpenFailed(id, error.message)
      entry.lastMessage = error.message
      throw error
    }
  }
  /** Resolves when it is open, and rejects with a recent failure again. Undefined if it was not deferred. */
  const ensureOpen = (id: string): Promise<void> | undefined => {
    const entry = deferred.get(id)
    if (!entry) return undefined
    if (entry.failure) return Promise.reject(entry.failure)
    entry.openPromise ??= openNow(id, entry).finally(() => {
      entry.openPromise = undefined
    })
    return entry.openPromise
  }

  return {
    /** Registers it. Opens it at its first use or earlier, one after the other in the background. */
    add(id: string, spec: GenerationSpec): void {
      deferred.set(id, { spec, openPromise: undefined, failure: undefined, lastMessage: undefined })
      // `ensureOpen` keeps the failure for who uses the generation.
      lastOpening = lastOpening.then(() => ensureOpen(id)).catch(() => {})
    },
    has: (id: string): boolean => deferred.has(id),
    /** Call this when it is open or no longer needed. */
    forget: (id: string): void => void deferred.delete(id),
    forgetAll: (): void => deferred.clear(),
    ensureOpen,
    /** Like `ensureOpen`, but ignores a recent failure. */
    retryOpen(id: string): Promise<void> | undefined {
      const entry = deferred.get(id)
      if (entry) entry.failure = undefined
      return ensureOpen(id)
    },
  }
}

/** Waits for the opening, for `ms` at most and until `signal` is aborted. */
export async function withDeadline(
  openPromise: () => Promise<void> | undefined,
  ms: number,
  signal?: AbortSignal,
): Promise<void> {
  if (signal?.aborted) throw canceledByCaller()
  const { promise: interruption, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(canceledByCaller())
  const onTimeout = () =>
    reject(new EngineError('timeout', 'opening the documents took longer than the deadline'))
  const timer = setTimeout(onTimeout, ms)
  signal?.addEventListener('abort', onAbort, { once: true })
  try {
    await Promise.race([openPromise(), interruption])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}
