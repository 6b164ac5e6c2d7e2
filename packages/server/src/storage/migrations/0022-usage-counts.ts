import { type Kysely, sql } from 'kysely'
import type { Tables } from '#storage/tables'
import { hasColumn } from './has-column.ts'

const dayMs = 24 * 60 * 60 * 1000

/** Encrypted texts of searches, and counts of a workspace by hour and by day. Days before this version have their queries, but no durations. */
export const usageCounts = (sqlite: boolean) => ({
  async up(db: Kysely<Tables>): Promise<void> {
    await addEncryptedText(db, sqlite)
    const key = ['workspace_id', 'unit', 'start', 'kind', 'api', 'name', 'detail'] as const
    const table = db.schema
      .createTable('usage_counts')
      .ifNotExists()
      .addColumn('workspace_id', 'text', c => c.notNull().references('workspaces.id').onDelete('cascade'))
      .addColumn('unit', 'text', c => c.notNull())
      .addColumn('start', 'bigint', c => c.notNull())
      .addColumn('kind', 'text', c => c.notNull())
      .addColumn('api', 'text', c => c.notNull())
      .addColumn('name', 'text', c => c.notNull())
      .addColumn('detail', 'text', c => c.notNull())
      .addColumn('count', 'bigint', c => c.notNull())
      .addPrimaryKeyConstraint('usage_counts_key', [...key])
    await (sqlite ? table.modifyEnd(sql`without rowid`) : table).execute()
    for (const [detail, count] of [
      ['failed:unknown', sql<number>`failed`],
      ['empty', sql<number>`empty`],
      ['found', sql<number>`queries - failed - empty`],
    ] as const)
      await db
        .insertInto('usage_counts')
        .columns([...key, 'count'])
        .expression(
          db
            .selectFrom('usage')
            .select([
              'workspace_id',
              sql<'day'>`'day'`.as('unit'),
              sql<number>`cast(day as bigint) * ${sql.lit(dayMs)}`.as('start'),
              sql<'query'>`'query'`.as('kind'),
              'api',
              'endpoint as name',
              sql<string>`${sql.lit(detail)}`.as('detail'),
              sql<number>`cast(sum(${count}) as bigint)`.as('count'),
            ])
            .groupBy(['workspace_id', 'day', 'api', 'endpoint'])
            .having(sql<number>`sum(${count})`, '>', 0),
        )
        .onConflict(c => c.doNothing())
        .execute()
  },
})

/** Removes the texts of earlier versions, which were stored in clear; hashes stay. */
const addEncryptedText = async (db: Kysely<Tables>, sqlite: boolean): Promise<void> => {
  if (!(await hasColumn(db, sqlite, 'searches', 'encrypted_text')))
    await db.schema.alterTable('searches').addColumn('encrypted_text', 'text').execute()
  await db.deleteFrom('searches').where('parameters', 'not like', 'hmac-sha256:%').execute()
}
