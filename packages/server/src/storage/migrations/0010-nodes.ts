import { type Kysely, sql } from 'kysely'
import type { Tables } from '#storage/tables'

/** Shared state of nodes: engine drops and the progress of imports. */
export const nodes = {
  async up(db: Kysely<Tables>): Promise<void> {
    await db.schema
      .createTable('engine_drops')
      .addColumn('id', 'text', c => c.primaryKey())
      .addColumn('workspace_id', 'text', c => c.notNull())
      .addColumn('generation', 'text', c => c.notNull())
      .addColumn('due_at', 'bigint', c => c.notNull())
      .execute()
    // Possible leftovers of a crash: an unfinished build, and the one before, not yet dropped.
    await sql`insert into engine_drops (id, workspace_id, generation, due_at)
      select id || '-' || (build + 1), workspace_id, id, 0 from generations
      union all select case build when 1 then id else id || '-' || (build - 1) end, workspace_id, id, 0
      from generations where build > 0`.execute(db)
    await db.schema
      .createTable('imports')
      .addColumn('workspace_id', 'text', c => c.notNull().references('workspaces.id').onDelete('cascade'))
      .addColumn('collection', 'text', c => c.notNull())
      .addColumn('subject', 'text', c => c.notNull())
      .addColumn('name', 'text', c => c.notNull())
      .addColumn('state', 'text', c => c.notNull())
      .addColumn('bytes', 'bigint', c => c.notNull())
      .addColumn('documents', 'bigint', c => c.notNull())
      .addColumn('kept', 'bigint', c => c.notNull())
      .addColumn('at', 'bigint', c => c.notNull())
      .addPrimaryKeyConstraint('imports_key', ['workspace_id', 'collection', 'subject', 'name'])
      .execute()
    // Every node queries these again and again.
    await sql`create index generations_unfinished on generations (workspace_id) where state <> 'ready'`.execute(
      db,
    )
    await db.schema.createIndex('changes_at').on('changes').column('at').execute()
  },
}
