import type { Kysely } from 'kysely'
import type { Tables } from '#storage/tables'
import { hasColumn } from './has-column.ts'

/** Adds when a counted attempt may be removed. Null: counted by an earlier version, for an hour at most. */
export const throttleWindows = (sqlite: boolean) => ({
  async up(db: Kysely<Tables>): Promise<void> {
    if (!(await hasColumn(db, sqlite, 'throttles', 'expires_at')))
      await db.schema.alterTable('throttles').addColumn('expires_at', 'bigint').execute()
    await db.schema
      .createIndex('throttles_by_end')
      .ifNotExists()
      .on('throttles')
      .column('expires_at')
      .execute()
  },
})
