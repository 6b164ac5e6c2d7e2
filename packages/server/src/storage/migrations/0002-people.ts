import type { Kysely } from 'kysely'
import type { Tables } from '#storage/tables'

/** Invitations, one-time links and throttles; finds sessions and consents by person. */
export const people = {
  async up(db: Kysely<Tables>): Promise<void> {
    const { schema } = db
    await schema
      .createTable('invitations')
      .addColumn('id', 'text', c => c.primaryKey())
      .addColumn('token_hash', 'text', c => c.notNull().unique())
      .addColumn('workspace_id', 'text', c => c.notNull().references('workspaces.id').onDelete('cascade'))
      .addColumn('email', 'text', c => c.notNull())
      .addColumn('roles_json', 'text', c => c.notNull())
      .addColumn('filter_json', 'text')
      .addColumn('invited_by', 'text', c => c.notNull())
      .addColumn('created_at', 'bigint', c => c.notNull())
      .addColumn('expires_at', 'bigint', c => c.notNull())
      .addColumn('accepted_at', 'bigint')
      .addColumn('withdrawn_at', 'bigint')
      .execute()
    await schema
      .createIndex('invitations_by_email')
      .on('invitations')
      .columns(['workspace_id', 'email'])
      .execute()
    await schema
      .createTable('one_time_links')
      .addColumn('purpose', 'text', c => c.notNull())
      .addColumn('user_id', 'text', c => c.notNull().references('users.id').onDelete('cascade'))
      .addColumn('token_hash', 'text', c => c.notNull().unique())
      .addColumn('expires_at', 'bigint', c => c.notNull())
      .addPrimaryKeyConstraint('one_time_links_key', ['purpose', 'user_id'])
      .execute()
    await schema
      .createTable('throttles')
      .addColumn('key_hash', 'text', c => c.notNull())
      .addColumn('failed_at', 'bigint', c => c.notNull())
      .execute()
    await schema.createIndex('throttles_by_key').on('throttles').columns(['key_hash', 'failed_at']).execute()
    await schema.createIndex('throttles_by_time').on('throttles').column('failed_at').execute()
    // Nobody could sign in before this version, so no existing record belongs to a person.
    await schema.alterTable('oidc_records').addColumn('account_id', 'text').execute()
    await schema.alterTable('oidc_records').addColumn('client_id', 'text').execute()
    await schema
      .createIndex('oidc_records_by_account')
      .on('oidc_records')
      .columns(['account_id', 'model'])
      .execute()
  },
}
