import type { Kysely } from 'kysely'
import type { Tables } from '#storage/tables'

/** Refresh tokens of workspaces' own OpenID providers. */
export const providerTokens = {
  async up(db: Kysely<Tables>): Promise<void> {
    const { schema } = db
    await schema
      .createTable('provider_tokens')
      .ifNotExists()
      .addColumn('id', 'text', c => c.primaryKey())
      .addColumn('workspace_id', 'text', c => c.notNull().references('workspaces.id').onDelete('cascade'))
      .addColumn('user_id', 'text', c => c.notNull().references('users.id').onDelete('cascade'))
      .addColumn('encrypted_token', 'text', c => c.notNull())
      .addColumn('lease', 'text')
      .addColumn('answered_at', 'bigint', c => c.notNull())
      .addColumn('expires_at', 'bigint', c => c.notNull())
      .execute()
    for (const column of ['workspace_id', 'user_id', 'expires_at'])
      await schema
        .createIndex(`provider_tokens_by_${column}`)
        .ifNotExists()
        .on('provider_tokens')
        .column(column)
        .execute()
  },
}
