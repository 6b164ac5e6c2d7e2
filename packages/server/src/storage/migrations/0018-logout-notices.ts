import type { Kysely } from 'kysely'
import type { Tables } from '#storage/tables'

/** Logout tokens that applications have not received yet (OpenID Connect Back-Channel Logout 1.0). */
export const logoutNotices = {
  async up({ schema }: Kysely<Tables>): Promise<void> {
    await schema
      .createTable('logout_notices')
      .ifNotExists()
      .addColumn('id', 'text', c => c.primaryKey())
      .addColumn('client_id', 'text', c => c.notNull())
      .addColumn('user_id', 'text', c => c.notNull())
      .addColumn('sid', 'text', c => c.notNull())
      .addColumn('attempts', 'integer', c => c.notNull())
      .addColumn('due_at', 'bigint', c => c.notNull())
      .execute()
    await schema
      .createIndex('logout_notices_due')
      .ifNotExists()
      .on('logout_notices')
      .column('due_at')
      .execute()
  },
}
