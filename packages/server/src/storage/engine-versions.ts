/** Versions of the generations in an engine that several nodes share, so that all of them give the same `ETag`. */
import { allKeys, type Storage } from './db.ts'

export interface EngineVersion {
  version: number
  /** Searchable ones. */
  documents: number
}

/**
 * What such an engine is handed: its versions are read, raised and heard of in the storage. They begin with the time: one that is lost
 * with a storage that is restored does not come again.
 */
export const openEngineVersions = (storage: Storage) => ({
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
