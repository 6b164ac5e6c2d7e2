import type { Kysely } from 'kysely'
import type { Tables } from '#storage/tables'

/** Applied states of workspace files. */
export const workspaceHistory = {
  async up({ schema }: Kysely<Tables>): Promise<void> {
    await schema
      .createTable('workspace_history')
      .ifNotExists()
      .addColumn('id', 'text', c => c.primaryKey())
      .addColumn('workspace_id', 'text', c => c.notNull().references('workspaces.id').onDelete('cascade'))
      .addColumn('at', 'bigint', c => c.notNull())
      .addColumn('actor', 'text', c => c.notNull())
      .addColumn('source', 'text', c => c.notNull())
      .addColumn('changes_json', 'text', c => c.notNull())
      .execute()
    await schema
      .createIndex('workspace_history_by_time')
      .ifNotExists()
      .on('workspace_history')
      .columns(['workspace_id', 'at', 'id'])
      .execute()
  },
}
