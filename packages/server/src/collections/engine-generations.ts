/** The generations that this process has registered with its engine: opening, counting, releasing and dropping them. */
import type { Engine, GenerationSpec } from '#engines/engine'
import type { LostDocuments } from '#engines/lost-documents'
import type { Storage } from '#storage/db'
import { type GenerationRow, makeEngineId, saveDocumentCount } from '#storage/generations'
import { readSpec } from './generation-rows.ts'

export type EngineGenerations = ReturnType<typeof createEngineGenerations>

export const createEngineGenerations = ({
  storage,
  engine,
  lostDocuments,
}: {
  storage: Storage
  engine: Engine
  /** Receives the generations whose documents are lost. */
  lostDocuments: LostDocuments
}) => {
  /** By id in the engine. Each row is as it was when the generation was registered. */
  const registered = new Map<string, GenerationRow>()

  const open = async (row: GenerationRow, spec: GenerationSpec = readSpec(row), isLazy = false) => {
    const id = makeEngineId(row)
    if (registered.has(id)) return
    if (row.lost_reason === null) await engine.open(id, spec, isLazy)
    else lostDocuments.set(id, row.lost_reason)
    registered.set(id, row)
  }
  /** Registers a generation; the engine opens it on first use. Does no I/O, so it doesn't fail. */
  const openLazily = (row: GenerationRow) => open(row, readSpec(row), true)
  /** Opens a generation now, and rejects if that is impossible. Use it before a step that a failure would force you to undo. */
  const openNow = async (row: GenerationRow): Promise<void> => {
    await openLazily(row)
    await engine.open(makeEngineId(row), readSpec(row))
  }
  const isOpened = (id: string): boolean => engine.isOpened?.(id) ?? true

  /** Undefined if the generation is not open. With `mayOpen`, opens it first. */
  const countDocuments = async (id: string, mayOpen = false): Promise<number | undefined> => {
    if (mayOpen) await engine.whenOpened?.(id)
    return isOpened(id) ? engine.info(id).documents : undefined
  }
  /** Saves the number of documents, for lists while the generation is closed. Opens nothing and never rejects. */
  const saveCount = async (row: GenerationRow): Promise<void> => {
    const id = makeEngineId(row)
    if (!registered.has(id)) return
    // The list shows the count that was saved last.
    const documents = await countDocuments(id).catch(() => undefined)
    // The list shows the count that was saved last.
    if (documents !== undefined) await saveDocumentCount(storage.db, row.id, documents).catch(() => {})
  }

  return {
    registered: registered as ReadonlyMap<string, GenerationRow>,
    open,
    openLazily,
    openNow,
    isOpened,
    countDocuments,
    saveCount,
    /** Closes a generation without deleting its documents. */
    async release(id: string) {
      registered.delete(id)
      await engine.release(id)
    },
    async drop(id: string) {
      registered.delete(id)
      await engine.drop(id)
    },
  }
}
