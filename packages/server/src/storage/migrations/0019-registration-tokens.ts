import type { Kysely } from 'kysely'
import type { Tables } from '#storage/tables'

/** Initial access tokens of dynamic client registration (RFC 7591). */
export const registrationTokens = {
  async up({ schema }: Kysely<Tables>): Promise<void> {
    await schema
      .createTable('registration_tokens')
      .ifNotExists()
      .addColumn('id', 'text', c => c.primaryKey())
      .addColumn('workspace_id', 'text', c => c.notNull().references('workspaces.id').onDelete('cascade'))
      .addColumn('name', 'text', c => c.notNull())
      .addColumn('hash', 'text', c => c.notNull().unique())
      .addColumn('uses', 'integer', c => c.notNull())
      .addColumn('uses_max', 'integer', c => c.notNull())
      .addColumn('expires_at', 'bigint', c => c.notNull())
      .addColumn('created_at', 'bigint', c => c.notNull())
      .execute()
    await schema
      .createIndex('registration_tokens_workspace')
      .ifNotExists()
      .on('registration_tokens')
      .columns(['workspace_id', 'id'])
      .execute()
  },
}
