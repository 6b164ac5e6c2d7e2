/** The vectors that the server makes, as documents and queries use them. */
import type { Collection } from '@querent/contract/workspace-file'
import { parseEntity } from '#collections/stored-entity'
import type { Engine, EngineDocument } from '#engines/engine'
import type { Storage } from '#storage/db'
import {
  addEmbeddingWork,
  countEmbeddingWork,
  findEmbeddingScan,
  resetEmbeddingScan,
} from '#storage/embedding-work'
import type { Embedders } from './embedders.ts'
import { embeddedFields, madeVectors, readFieldTexts, writeEntity } from './entity-vectors.ts'
import { scanKey } from './vector-worker.ts'

/** The place of documents that are written. */
export interface WriteTarget {
  workspaceId: string
  collection: Collection
  /** Id of the generation in the engine. */
  generation: string
}

export interface Embedding {
  /**
   * Prepares documents for a write to a generation: those whose text is unchanged keep the vector of the document that they replace, which
   * is in the generation `keepFrom`. Call {@link Embedding.addWork} before the write for the other ones.
   */
  keepVectors(
    target: Pick<WriteTarget, 'collection'>,
    keepFrom: string | undefined,
    documents: readonly EngineDocument[],
  ): Promise<{ documents: readonly EngineDocument[]; missing: readonly string[] }>
  /** Adds documents whose vectors are missing. Call it before they are written. */
  addWork(target: WriteTarget, documentIds: readonly string[]): Promise<void>
  /** Starts making vectors soon. */
  wake(): void
  /** Scans a generation again: documents were copied into it. */
  rescan(generation: string): Promise<void>
  /** Number of documents that wait for a vector. `documents`: all of the generation. Undefined if the collection has no such field. */
  countMissing(collection: Collection, generation: string, documents: number): Promise<number | undefined>
}

interface EmbeddingDependencies {
  storage: Pick<Storage, 'db'>
  engine: Engine
  embedders: Embedders
  wake: () => void
}

/** Documents read at once. */
const readsAtOnce = 50

export const createEmbedding = ({ storage, engine, embedders, wake }: EmbeddingDependencies): Embedding => ({
  async keepVectors({ collection }, keepFrom, documents) {
    const fields = embeddedFields(collection)
    if (fields.length === 0) return { documents, missing: [] }
    const prepared: EngineDocument[] = []
    const missing: string[] = []
    for (let start = 0; start < documents.length; start += readsAtOnce) {
      const page = documents.slice(start, start + readsAtOnce)
      const replaced = await Promise.all(
        page.map(({ id }) => (keepFrom === undefined ? undefined : engine.get(keepFrom, id))),
      )
      for (const [index, document] of page.entries()) {
        const { prepared: next, isComplete } = keepMadeVectors(document, replaced[index], {
          fields,
          embedders,
        })
        prepared.push(next)
        if (!isComplete) missing.push(document.id)
      }
    }
    return { documents: prepared, missing }
  },
  async addWork({ workspaceId, generation }, documentIds) {
    if (documentIds.length > 0) await addEmbeddingWork(storage.db, workspaceId, generation, documentIds)
  },
  wake,
  rescan: generation => resetEmbeddingScan(storage.db, generation),
  async countMissing(collection, generation, documents) {
    const fields = embeddedFields(collection)
    if (fields.length === 0) return undefined
    const scan = await findEmbeddingScan(storage.db, generation)
    const waiting = await countEmbeddingWork(storage.db, generation)
    const isForThese = scan !== undefined && scan.key === scanKey(fields, embedders)
    const scanned = isForThese ? (scan.done === 1 ? documents : scan.documents) : 0
    const unscanned = Math.max(0, documents - scanned)
    return Math.min(documents, waiting + unscanned)
  },
})

/** Returns the document with the vectors of the entity that it replaces, where its texts are the same. Incomplete: other texts need one. */
const keepMadeVectors = (
  document: EngineDocument,
  replaced: string | undefined,
  { fields, embedders }: { fields: ReturnType<typeof embeddedFields>; embedders: Embedders },
): { prepared: EngineDocument; isComplete: boolean } => {
  const vectors = madeVectors(parseEntity(replaced ?? '{"attributes":{}}'))
  const entity = parseEntity(document.entity)
  let isComplete = true
  for (const { field, text, hash } of readFieldTexts(entity, fields, embedders)) {
    if (hash !== '' && vectors.get(field.name)?.hash === hash) continue
    vectors.delete(field.name)
    isComplete &&= text === ''
  }
  const prepared = vectors.size === 0 ? document : { id: document.id, entity: writeEntity(entity, vectors) }
  return { prepared, isComplete }
}
