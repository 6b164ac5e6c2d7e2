import type { Kysely } from 'kysely'
import type { Tables } from '#storage/tables'
import { hasColumn } from './has-column.ts'

/** Workspaces' own OpenID providers: secrets, domains, and who is who there. */
export const identityProviders = (sqlite: boolean) => ({
  async up(db: Kysely<Tables>): Promise<void> {
    const { schema } = db
    await schema
      .createTable('provider_secrets')
      .ifNotExists()
      .addColumn('workspace_id', 'text', c => c.primaryKey().references('workspaces.id').onDelete('cascade'))
      .addColumn('encrypted_secret', 'text', c => c.notNull())
      .addColumn('created_at', 'bigint', c => c.notNull())
      .execute()
    await schema
      .createTable('provider_domains')
      .ifNotExists()
      .addColumn('domain', 'text', c => c.notNull())
      .addColumn('workspace_id', 'text', c => c.notNull().references('workspaces.id').onDelete('cascade'))
      .addPrimaryKeyConstraint('provider_domains_key', ['domain', 'workspace_id'])
      .execute()
    await schema
      .createIndex('provider_domains_by_workspace')
      .ifNotExists()
      .on('provider_domains')
      .column('workspace_id')
      .execute()
    await schema
      .createTable('provider_identities')
      .ifNotExists()
      .addColumn('workspace_id', 'text', c => c.notNull().references('workspaces.id').onDelete('cascade'))
      .addColumn('issuer', 'text', c => c.notNull())
      .addColumn('subject', 'text', c => c.notNull())
      .addColumn('user_id', 'text', c => c.notNull().references('users.id').onDelete('cascade'))
      .addColumn('created_at', 'bigint', c => c.notNull())
      .addColumn('last_used_at', 'bigint', c => c.notNull())
      .addPrimaryKeyConstraint('provider_identities_key', ['workspace_id', 'issuer', 'subject'])
      .addUniqueConstraint('provider_identities_person', ['workspace_id', 'issuer', 'user_id'])
      .execute()
    await schema
      .createIndex('provider_identities_by_user')
      .ifNotExists()
      .on('provider_identities')
      .column('user_id')
      .execute()
    if (!(await hasColumn(db, sqlite, 'members', 'from_provider')))
      await schema
        .alterTable('members')
        .addColumn('from_provider', 'integer', c => c.notNull().defaultTo(0))
        .execute()
  },
})
