import type { Kysely } from 'kysely'
import type { Tables } from '#storage/tables'

/** Running nodes, with the results of their self-checks. */
export const runningNodes = {
  async up({ schema }: Kysely<Tables>): Promise<void> {
    await schema
      .createTable('nodes')
      .ifNotExists()
      .addColumn('id', 'text', c => c.primaryKey())
      .addColumn('services_json', 'text', c => c.notNull())
      .addColumn('host', 'text', c => c.notNull())
      .addColumn('listening_json', 'text', c => c.notNull())
      .addColumn('version', 'text', c => c.notNull())
      .addColumn('started_at', 'bigint', c => c.notNull())
      .addColumn('seen_at', 'bigint', c => c.notNull())
      .addColumn('checks_json', 'text', c => c.notNull())
      .execute()
  },
}
