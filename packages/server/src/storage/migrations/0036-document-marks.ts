import type { Kysely } from 'kysely'
import type { Tables } from '#storage/tables'

/** Numbers of writes of generations in the embedded engine, to notice lost documents. */
export const documentMarks = {
  async up({ schema }: Kysely<Tables>): Promise<void> {
    await schema
      .createTable('document_marks')
      .ifNotExists()
      .addColumn('id', 'text', c => c.primaryKey())
      .addColumn('writes', 'bigint', c => c.notNull())
      .execute()
  },
}
