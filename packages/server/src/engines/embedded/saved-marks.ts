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
  /** Counts that are higher than the saved ones: `writeCounts` returns that of a closed generation only once. */
  const unsaved = new Map<string, number>()
  const knownWrites = (id: string): number => unsaved.get(id) ?? saved.get(id) ?? 0
  const collect = (): void => {
    const counts: [string, number][] = JSON.parse(native.writeCounts())
    for (const [id, writes] of counts) if (writes > knownWrites(id)) unsaved.set(id, writes)
  }
  const save = async (): Promise<void> => {
    collect()
    if (unsaved.size === 0) return
    const batch = [...unsaved]
    await store?.save(new Map(batch))
    for (const [id, writes] of batch) {
      if (unsaved.get(id) === writes) unsaved.delete(id)
      saved.set(id, writes)
    }
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
    knownWrites,
    /** Removes the mark of a generation that the addon has dropped. */
    async remove(id: string): Promise<void> {
      // After a running save, which may write this mark.
      running = running.then(async () => {
        // Takes the count of its last closing, which the next save would write.
        if (store) collect()
        unsaved.delete(id)
        saved.delete(id)
        // A mark that stays belongs to a generation that is gone.
        await store?.remove(id).catch(() => {})
      })
      await running
    },
    /** Call it before the addon closes all generations. */
    async close(): Promise<void> {
      clearInterval(timer)
      await running
      // Without its mark, a generation is counted again when it opens.
      if (store) await save().catch(() => {})
    },
  }
}
