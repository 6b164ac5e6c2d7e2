/** Versions of generations in an engine shared by several nodes, so that all nodes give the same `ETag`. */
import { allKeys, type Storage } from './db.ts'

export interface EngineVersion {
  version: number
  /** Number of searchable documents. */
  documents: number
}

/**
 * Reads, raises and observes versions in the storage. They start at the current time, so that a restored
 * storage does not repeat a lost version.
 */
export const createEngineVersions = (storage: Storage) => ({
  read: (id: string): Promise<EngineVersion | undefined> =>
    storage.db
      .selectFrom('engine_versions')
      .select(['version', 'documents'])
      .where('id', '=', id)
      .executeTakeFirst(),
  bump: (id: string, documents: number): Promise<EngineVersion> =>
    storage.write(async ({ db, announce }) => {
      const raised = await db
        .insertInto('engine_versions')
        .values({ id, version: Date.now(), documents })
        .onConflict(conflict =>
          conflict.column('id').doUpdateSet(({ eb, ref }) => ({
            version: eb(ref('engine_versions.version'), '+', 1),
            documents,
          })),
        )
        .returning(['version', 'documents'])
        .executeTakeFirstOrThrow()
      announce('engine', id)
      return raised
    }),
  async remove(id: string): Promise<void> {
    await storage.db.deleteFrom('engine_versions').where('id', '=', id).execute()
  },
  onChange: (listener: (id: string | undefined) => void): (() => void) =>
    storage.onChange(({ topic, key }) => {
      if (topic === 'engine') listener(key === allKeys ? undefined : key)
    }),
})
