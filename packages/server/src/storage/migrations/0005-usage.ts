import type { Kysely } from 'kysely'
import type { Tables } from '#storage/tables'

/** Usage statistics, and searches of workspaces that keep them. */
export const usage = {
  async up({ schema }: Kysely<Tables>): Promise<void> {
    const counterColumns = [
      'queries',
      'failed',
      'empty',
      'total_ms',
      'slowest_ms',
      'under_5_ms',
      'under_20_ms',
      'under_100_ms',
      'under_500_ms',
      'under_2000_ms',
    ]
    const keys = ['workspace_id', 'day', 'api', 'endpoint', 'account'] as const
    let usage = schema
      .createTable('usage')
      .addColumn('workspace_id', 'text', c => c.notNull().references('workspaces.id').onDelete('cascade'))
      .addColumn('day', 'integer', c => c.notNull())
      .addColumn('api', 'text', c => c.notNull())
      .addColumn('endpoint', 'text', c => c.notNull())
      .addColumn('account', 'text', c => c.notNull())
    for (const column of counterColumns) usage = usage.addColumn(column, 'bigint', c => c.notNull())
    await usage.addPrimaryKeyConstraint('usage_key', [...keys]).execute()
    await schema
      .createTable('searches')
      .addColumn('workspace_id', 'text', c => c.notNull().references('workspaces.id').onDelete('cascade'))
      .addColumn('day', 'integer', c => c.notNull())
      .addColumn('api', 'text', c => c.notNull())
      .addColumn('parameters', 'text', c => c.notNull())
      .addColumn('queries', 'bigint', c => c.notNull())
      .addColumn('empty', 'bigint', c => c.notNull())
      .addPrimaryKeyConstraint('searches_key', ['workspace_id', 'day', 'api', 'parameters'])
      .execute()
  },
}
