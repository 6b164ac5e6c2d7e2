/**
 * The number of writes of each generation, saved outside of the engine's folder: if that folder is lost or replaced by an older one, opening
 * a generation fails with `documents-lost`. Saved every two seconds and at the end, so that it costs writes nothing.
 */
import type { NativeEngine } from '@querent/engine'

/** Where marks are saved, by the id of the generation. */
export interface MarkStore {
  read(): Promise<Map<string, number>>
  /** Never lowers a mark. */
  save(marks: ReadonlyMap<string, number>): Promise<void>
  remove(id: string): Promise<void>
}

const saveEveryMs = 2_000

/** Without a store there are no marks. */
export const openSavedMarks = async (
  native: Pick<NativeEngine, 'changes' | 'writeCounts'>,
  store: MarkStore | undefined,
) => {
  const saved = (await store?.read()) ?? new Map<string, number>()
  let lastChanges = native.changes()
  let running: Promise<void> = Promise.resolve()
  const save = async (): Promise<void> => {
    const counts: [string, number][] = JSON.parse(native.writeCounts())
    const risen = new Map(counts.filter(([id, writes]) => writes > (saved.get(id) ?? 0)))
    if (risen.size === 0) return
    await store?.save(risen)
    for (const [id, writes] of risen) saved.set(id, writes)
  }
  const timer = store
    ? setInterval(() => {
        const changes = native.changes()
        if (changes === lastChanges) return
        // If the storage does not answer, the next round saves them.
        running = running.then(save).then(
          () => {
            lastChanges = changes
          },
          () => {},
        )
      }, saveEveryMs).unref()
    : undefined
  return {
    knownWrites: (id: string): number => saved.get(id) ?? 0,
    async remove(id: string): Promise<void> {
      saved.delete(id)
      await store?.remove(id).catch(() => {})
    },
    /** Call it before the addon closes all generations. */
    async close(): Promise<void> {
      clearInterval(timer)
      await running
      if (store) await save().catch(() => {})
    },
  }
}
