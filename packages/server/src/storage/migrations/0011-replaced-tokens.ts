import type { Kysely } from 'kysely'
import type { Tables } from '#storage/tables'

/**
 * Replaced refresh tokens, reduced to what detects a replay. Existing ones are moved gradually
 * (storage/prune.ts), so a start does not wait for them.
 */
export const replacedTokens = {
  // Kysely's schema changes on SQLite are not transactional, so an interrupted migration runs again.
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
