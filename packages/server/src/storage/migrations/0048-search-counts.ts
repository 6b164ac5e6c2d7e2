import { type Kysely, sql } from 'kysely'
import type { Tables } from '#storage/tables'

/** Counts of searches as people count them. Before this version, each query with a known number of results counts as one. */
export const searchCounts = {
  async up(db: Kysely<Tables>): Promise<void> {
    const key = ['workspace_id', 'unit', 'start', 'kind', 'api', 'name', 'detail'] as const
    await db
      .insertInto('usage_counts')
      .columns([...key, 'count'])
      .expression(
        db
          .selectFrom('usage_counts')
          .select([
            'workspace_id',
            'unit',
            'start',
            sql<'search'>`'search'`.as('kind'),
            'api',
            'name',
            'detail',
            'count',
          ])
          .where('kind', '=', 'query')
          .where('detail', 'in', ['found', 'empty']),
      )
      .onConflict(c => c.doNothing())
      .execute()
  },
}
