import type { Kysely } from 'kysely'
import type { Tables } from '#storage/tables'

/**
 * Of refresh tokens that were replaced is kept what a replay is known by. Those that are there are moved by and by (storage/prune.ts): a
 * server that starts does not wait for them.
 */
export const replacedTokens = {
  // SQLite's changes of tables are no transaction in Kysely: what was broken off is made again.
  async up({ schema }: Kysely<Tables>): Promise<void> {
    await schema
      .createTable('replaced_tokens')
      .ifNotExists()
      .addColumn('id_hash', 'text', c => c.primaryKey())
      .addColumn('grant_id', 'text', c => c.notNull())
      .addColumn('jkt', 'text')
      .addColumn('expires_at', 'bigint', c => c.notNull())
      .execute()
    for (const [name, column] of [
      ['replaced_tokens_by_grant', 'grant_id'],
      ['replaced_tokens_by_expiry', 'expires_at'],
    ] as const)
      await schema.createIndex(name).ifNotExists().on('replaced_tokens').column(column).execute()
  },
}
