import type { Kysely } from 'kysely'
import type { Tables } from '#storage/tables'
import { hasColumn } from './has-column.ts'

/** Generations that were restored from a backup without their documents. */
export const lostDocuments = (sqlite: boolean) => ({
  async up(db: Kysely<Tables>): Promise<void> {
    if (await hasColumn(db, sqlite, 'generations', 'lost_reason')) return
    await db.schema.alterTable('generations').addColumn('lost_reason', 'text').execute()
  },
})
