import type { Kysely } from 'kysely'
import type { Tables } from '#storage/tables'
import { hasColumn } from './has-column.ts'

/** Rights of members besides roles and row filter: those of the workspace, those of each further source, and their end. */
export const rights = (sqlite: boolean) => ({
  async up(db: Kysely<Tables>): Promise<void> {
    for (const [table, column] of [
      ['members', 'rights_json'],
      ['members', 'given_json'],
      ['invitations', 'rights_json'],
    ] as const)
      if (!(await hasColumn(db, sqlite, table, column)))
        await db.schema.alterTable(table).addColumn(column, 'text').execute()
    if (!(await hasColumn(db, sqlite, 'members', 'ends_at')))
      await db.schema.alterTable('members').addColumn('ends_at', 'bigint').execute()
  },
})
