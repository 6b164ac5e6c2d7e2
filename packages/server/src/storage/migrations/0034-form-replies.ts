import type { Kysely } from 'kysely'
import type { Tables } from '#storage/tables'

/** Replies to forms, for a browser that sends the same form again within some seconds. */
export const formReplies = {
  async up({ schema }: Kysely<Tables>): Promise<void> {
    await schema
      .createTable('form_replies')
      .ifNotExists()
      .addColumn('id', 'text', c => c.primaryKey())
      .addColumn('browser', 'text', c => c.notNull())
      .addColumn('page', 'text', c => c.notNull())
      .addColumn('claim', 'text', c => c.notNull())
      .addColumn('sealed', 'text')
      .addColumn('expires_at', 'bigint', c => c.notNull())
      .execute()
    for (const column of ['browser', 'expires_at'])
      await schema
        .createIndex(`form_replies_by_${column}`)
        .ifNotExists()
        .on('form_replies')
        .column(column)
        .execute()
  },
}
