import type { Kysely } from 'kysely'
import type { Tables } from '#storage/tables'

/** Several generations of a collection. */
export const generations = {
  async up(db: Kysely<Tables>): Promise<void> {
    const table = db.schema.alterTable('generations')
    await table.addColumn('build', 'integer', c => c.notNull().defaultTo(0)).execute()
    await table.addColumn('origin', 'integer').execute()
    await table.addColumn('documents', 'bigint').execute()
  },
}
