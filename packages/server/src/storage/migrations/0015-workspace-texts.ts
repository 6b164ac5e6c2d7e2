import type { Kysely } from 'kysely'
import type { Tables } from '#storage/tables'

/** Workspace files as last applied, with comments and layout, which the definition lacks. */
export const workspaceTexts = {
  async up({ schema }: Kysely<Tables>): Promise<void> {
    await schema
      .createTable('workspace_texts')
      .ifNotExists()
      .addColumn('workspace_id', 'text', c => c.primaryKey().references('workspaces.id').onDelete('cascade'))
      .addColumn('source', 'text', c => c.notNull())
      .execute()
  },
}
