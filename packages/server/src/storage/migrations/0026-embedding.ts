import type { Kysely } from 'kysely'
import type { Tables } from '#storage/tables'

/** Work of the embedders. */
export const embedding = {
  async up(db: Kysely<Tables>): Promise<void> {
    await db.schema
      .createTable('embedding_work')
      .ifNotExists()
      .addColumn('generation', 'text', c => c.notNull())
      .addColumn('document_id', 'text', c => c.notNull())
      .addColumn('workspace_id', 'text', c => c.notNull().references('workspaces.id').onDelete('cascade'))
      .addColumn('token', 'text', c => c.notNull())
      .addColumn('due_at', 'bigint', c => c.notNull())
      .addColumn('attempts', 'integer', c => c.notNull())
      .addPrimaryKeyConstraint('embedding_work_key', ['generation', 'document_id'])
      .execute()
    await db.schema
      .createIndex('embedding_work_due')
      .ifNotExists()
      .on('embedding_work')
      .columns(['generation', 'due_at'])
      .execute()
    await db.schema
      .createIndex('embedding_work_workspace')
      .ifNotExists()
      .on('embedding_work')
      .column('workspace_id')
      .execute()
    await db.schema
      .createTable('embedding_scans')
      .ifNotExists()
      .addColumn('generation', 'text', c => c.primaryKey())
      .addColumn('workspace_id', 'text', c => c.notNull().references('workspaces.id').onDelete('cascade'))
      .addColumn('key', 'text', c => c.notNull())
      .addColumn('after_id', 'text', c => c.notNull())
      .addColumn('documents', 'bigint', c => c.notNull())
      .addColumn('done', 'integer', c => c.notNull())
      .execute()
  },
}
