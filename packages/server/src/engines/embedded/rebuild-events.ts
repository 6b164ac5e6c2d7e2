import type { NativeEngine } from '@querent/engine'
import type { GenerationFailure, RebuildEvent } from '#engines/engine'
import { errorCode } from '#engines/outcome'
import { createBufferedEmitter } from '#memory/buffered-emitter'
import type { Generations } from './generations.ts'

/**
 * Emits rebuild events. It waits for each rebuild from when it is first noticed, and keeps the generation open until the rebuild is done.
 */
export function createRebuildEvents(
  native: NativeEngine,
  { pin, unpin }: Pick<Generations, 'pin' | 'unpin'>,
) {
  const watched = new Set<string>()
  const failures = new Map<string, GenerationFailure>()
  const { emit, listen } = createBufferedEmitter<RebuildEvent>()
  const readInfo = (id: string) => {
    try {
      return native.info(id)
    } catch {
      // The generation was closed or dropped meanwhile.
      return undefined
    }
  }
  const waitForRebuild = async (id: string, startedMs: number, documents: number) => {
    for (let lastMessage = ''; ; ) {
      const { code, message = '' } = await native.refresh(id)
      if (code === undefined) {
        failures.delete(id)
        return emit({ generation: id, documents, state: 'done', durationMs: performance.now() - startedMs })
      }
      if (!readInfo(id)?.rebuilding) return
      failures.set(id, { code: errorCode(code), message })
      if (message !== lastMessage) emit({ generation: id, documents, state: 'failed', message })
      lastMessage = message
    }
  }
  const watch = (id: string, reason: string, startedMs = performance.now()) => {
    if (watched.has(id)) return
    watched.add(id)
    const documents = readInfo(id)?.documents ?? 0
    emit({ generation: id, documents, state: 'started', reason })
    const generation = pin(id)
    void waitForRebuild(id, startedMs, documents).finally(() => {
      watched.delete(id)
      unpin(generation)
    })
  }
  return {
    watch,
    opened: (id: string) => void failures.delete(id),
    openFailed: (id: string, failure: GenerationFailure) => {
      failures.set(id, failure)
      emit({ generation: id, documents: 0, state: 'open-failed', message: failure.message })
    },
    failures: (): ReadonlyMap<string, GenerationFailure> => failures,
    /** Watches the rebuild of the generation, if one is running. */
    watchIfRebuilding(id: string) {
      const rebuilding = readInfo(id)?.rebuilding
      if (rebuilding) watch(id, rebuilding.reason)
    },
    onRebuild: listen,
  }
}
