import type { Kysely } from 'kysely'
import type { Tables } from '#storage/tables'

/** Versions of generations in an engine shared by several nodes, for their `ETag`s. */
export const engineVersions = {
  async up({ schema }: Kysely<Tables>): Promise<void> {
    await schema
      .createTable('engine_versions')
      .addColumn('id', 'text', c => c.primaryKey())
      .addColumn('version', 'bigint', c => c.notNull())
      .addColumn('documents', 'bigint', c => c.notNull())
      .execute()
  },
}
