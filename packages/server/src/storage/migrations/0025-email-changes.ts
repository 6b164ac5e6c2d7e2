import type { Kysely } from 'kysely'
import type { Tables } from '#storage/tables'
import { hasColumn } from './has-column.ts'

/** The new address of a link that confirms it. */
export const emailChanges = (sqlite: boolean) => ({
  async up(db: Kysely<Tables>): Promise<void> {
    if (await hasColumn(db, sqlite, 'one_time_links', 'email')) return
    await db.schema.alterTable('one_time_links').addColumn('email', 'text').execute()
  },
})
