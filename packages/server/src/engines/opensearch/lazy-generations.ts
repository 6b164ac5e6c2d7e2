/** Generations that are opened when they are used: what keeps one of them from being opened keeps nobody from the others. */
import { EngineError, type GenerationSpec } from '#engines/engine'
import { ClusterAway } from './cluster-check.ts'
import { cancelled } from './failure.ts'

interface Unopened {
  spec: GenerationSpec
  /** While it is being opened. */
  opening: Promise<void> | undefined
  /** Why it could not be opened, while it is not tried again. */
  failure: EngineError | undefined
  /** Why it could not be opened the last time, as it was told. */
  trouble: string | undefined
}

interface Dependencies {
  /** Opens it, unless `isWanted` says no when its turn comes. */
  open: (id: string, spec: GenerationSpec, isWanted: () => boolean) => Promise<void>
  /** Is told why one could not be opened, unless it was told that before. */
  onTrouble: (id: string, message: string) => void
}

/** One that could not be opened is not tried again for so long: each try takes OpenSearch some requests. */
const failureMs = 1_000

export function openUnopened({ open, onTrouble }: Dependencies) {
  const waiting = new Map<string, Unopened>()
  /** The last of those that are opened though nobody has used them yet. */
  let last: Promise<unknown> = Promise.resolve()

  const openNow = async (id: string, one: Unopened): Promise<void> => {
    try {
      await open(id, one.spec, () => waiting.get(id) === one)
    } catch (error) {
      if (waiting.get(id) !== one || !(error instanceof EngineError)) throw error
      one.failure = error
      setTimeout(() => {
        one.failure = undefined
      }, failureMs).unref()
      // Of a cluster that is away the log hears otherwise: it is no trouble of this one.
      if (error.message !== one.trouble && !(error.cause instanceof ClusterAway)) onTrouble(id, error.message)
      one.trouble = error.message
      throw error
    }
  }
  /** Resolves when it is open; the failure of a moment ago is told again. Undefined where nothing was put off. */
  const opened = (id: string): Promise<void> | undefined => {
    const one = waiting.get(id)
    if (!one) return undefined
    if (one.failure) return Promise.reject(one.failure)
    one.opening ??= openNow(id, one).finally(() => {
      one.opening = undefined
    })
    return one.opening
  }

  return {
    /** Opens it when it is used, or before: one after another, so that whoever uses the first 10,000 of them waits for none. */
    add(id: string, spec: GenerationSpec): void {
      waiting.set(id, { spec, opening: undefined, failure: undefined, trouble: undefined })
      last = last.then(() => opened(id)).catch(() => {})
    },
    has: (id: string): boolean => waiting.has(id),
    /** It is open, or nobody wants it any more. */
    forget: (id: string): void => void waiting.delete(id),
    forgetAll: (): void => waiting.clear(),
    opened,
    /** The same, and it is tried whatever was a moment ago. */
    openedAnew(id: string): Promise<void> | undefined {
      const one = waiting.get(id)
      if (one) one.failure = undefined
      return opened(id)
    },
  }
}

/** What `opening` comes to, within `ms` and while `signal` is not aborted. */
export async function within(
  opening: () => Promise<void> | undefined,
  ms: number,
  signal?: AbortSignal,
): Promise<void> {
  if (signal?.aborted) throw cancelled()
  const { promise: givenUp, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(cancelled())
  const late = () => reject(new EngineError('timeout', 'opening the documents took longer than the deadline'))
  const timer = setTimeout(late, ms)
  signal?.addEventListener('abort', onAbort, { once: true })
  try {
    await Promise.race([opening(), givenUp])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}
