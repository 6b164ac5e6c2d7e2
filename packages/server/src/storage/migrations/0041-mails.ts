import type { Kysely } from 'kysely'
import type { Tables } from '#storage/tables'

/** Mails that the mail server has not accepted yet. */
export const mails = {
  async up({ schema }: Kysely<Tables>): Promise<void> {
    await schema
      .createTable('mails')
      .ifNotExists()
      .addColumn('id', 'text', c => c.primaryKey())
      .addColumn('sealed', 'text', c => c.notNull())
      .addColumn('attempts', 'integer', c => c.notNull())
      .addColumn('last_failure', 'text')
      .addColumn('created_at', 'bigint', c => c.notNull())
      .addColumn('due_at', 'bigint', c => c.notNull())
      .addColumn('expires_at', 'bigint', c => c.notNull())
      .execute()
    await schema.createIndex('mails_by_due').ifNotExists().on('mails').column('due_at').execute()
  },
}
