import type { Kysely } from 'kysely'
import type { Tables } from '#storage/tables'

/** Verified addresses, and the language of people. */
export const mail = {
  async up(db: Kysely<Tables>): Promise<void> {
    const { schema } = db
    await schema
      .alterTable('users')
      .addColumn('email_verified', 'integer', c => c.notNull().defaultTo(0))
      .execute()
    await schema.alterTable('users').addColumn('language', 'text').execute()
    await schema
      .alterTable('one_time_links')
      .addColumn('mailed', 'integer', c => c.notNull().defaultTo(0))
      .execute()
    await schema.alterTable('invitations').addColumn('mailed_hash', 'text').execute()
    await schema
      .createIndex('invitations_by_mailed_hash')
      .unique()
      .on('invitations')
      .column('mailed_hash')
      .execute()
  },
}
