import { type Kysely, sql } from 'kysely'
import type { Tables } from '#storage/tables'

/** Auto-incrementing primary key; the two databases spell it differently. */
const counter = (sqlite: boolean) =>
  sqlite ? sql`integer primary key autoincrement` : sql`bigint generated always as identity primary key`

export const first = (sqlite: boolean) => ({
  async up({ schema }: Kysely<Tables>): Promise<void> {
    await createAccounts(schema)
    await createTokens(schema)
    await createRecords(schema, sqlite)
  },
})

type Schema = Kysely<Tables>['schema']

const createAccounts = async (schema: Schema): Promise<void> => {
  await schema
    .createTable('users')
    .addColumn('id', 'text', c => c.primaryKey())
    .addColumn('email', 'text', c => c.notNull().unique())
    .addColumn('name', 'text', c => c.notNull())
    .addColumn('password_hash', 'text')
    .addColumn('operator', 'integer', c => c.notNull())
    .addColumn('disabled', 'integer', c => c.notNull())
    .addColumn('created_at', 'bigint', c => c.notNull())
    .execute()
  await schema
    .createTable('workspaces')
    .addColumn('id', 'text', c => c.primaryKey())
    .addColumn('slug', 'text', c => c.notNull().unique())
    .addColumn('title', 'text', c => c.notNull())
    .addColumn('definition_json', 'text', c => c.notNull())
    .addColumn('version', 'integer', c => c.notNull())
    .addColumn('created_at', 'bigint', c => c.notNull())
    .execute()
  await schema
    .createTable('members')
    .addColumn('workspace_id', 'text', c => c.notNull().references('workspaces.id').onDelete('cascade'))
    .addColumn('subject', 'text', c => c.notNull())
    .addColumn('kind', 'text', c => c.notNull())
    .addColumn('roles_json', 'text', c => c.notNull())
    .addColumn('filter_json', 'text')
    .addColumn('created_at', 'bigint', c => c.notNull())
    .addPrimaryKeyConstraint('members_key', ['workspace_id', 'subject'])
    .execute()
  await schema.createIndex('members_by_subject').on('members').column('subject').execute()
  await schema
    .createTable('clients')
    .addColumn('id', 'text', c => c.primaryKey())
    .addColumn('workspace_id', 'text', c => c.references('workspaces.id').onDelete('cascade'))
    .addColumn('kind', 'text', c => c.notNull())
    .addColumn('name', 'text', c => c.notNull())
    .addColumn('settings_json', 'text', c => c.notNull())
    .addColumn('disabled', 'integer', c => c.notNull())
    .addColumn('created_at', 'bigint', c => c.notNull())
    .addUniqueConstraint('clients_name', ['workspace_id', 'kind', 'name'])
    .execute()
  await schema
    .createTable('client_secrets')
    .addColumn('id', 'text', c => c.primaryKey())
    .addColumn('client_id', 'text', c => c.notNull().references('clients.id').onDelete('cascade'))
    .addColumn('hash', 'text', c => c.notNull())
    .addColumn('created_at', 'bigint', c => c.notNull())
    .addColumn('expires_at', 'bigint')
    .addColumn('last_used_at', 'bigint')
    .execute()
  await schema.createIndex('client_secrets_by_client').on('client_secrets').column('client_id').execute()
}

const createTokens = async (schema: Schema): Promise<void> => {
  await schema
    .createTable('oidc_records')
    .addColumn('model', 'text', c => c.notNull())
    .addColumn('id_hash', 'text', c => c.notNull())
    .addColumn('payload_json', 'text', c => c.notNull())
    .addColumn('grant_id', 'text')
    .addColumn('uid', 'text')
    .addColumn('user_code', 'text')
    .addColumn('expires_at', 'bigint')
    .addColumn('consumed_at', 'bigint')
    .addPrimaryKeyConstraint('oidc_records_key', ['model', 'id_hash'])
    .execute()
  for (const column of ['grant_id', 'uid', 'user_code', 'expires_at'] as const)
    await schema.createIndex(`oidc_records_by_${column}`).on('oidc_records').column(column).execute()
  await schema
    .createTable('revocations')
    .addColumn('kind', 'text', c => c.notNull())
    .addColumn('id', 'text', c => c.notNull())
    .addColumn('expires_at', 'bigint', c => c.notNull())
    .addPrimaryKeyConstraint('revocations_key', ['kind', 'id'])
    .execute()
  await schema
    .createTable('signing_keys')
    .addColumn('kid', 'text', c => c.primaryKey())
    .addColumn('alg', 'text', c => c.notNull())
    .addColumn('encrypted_jwk', 'text', c => c.notNull())
    .addColumn('created_at', 'bigint', c => c.notNull())
    .addColumn('active_from', 'bigint', c => c.notNull())
    .addColumn('retired_at', 'bigint')
    .execute()
}

const createRecords = async (schema: Schema, sqlite: boolean): Promise<void> => {
  await schema
    .createTable('generations')
    .addColumn('id', 'text', c => c.primaryKey())
    .addColumn('workspace_id', 'text', c => c.notNull().references('workspaces.id').onDelete('cascade'))
    .addColumn('collection', 'text', c => c.notNull())
    .addColumn('number', 'integer', c => c.notNull())
    .addColumn('spec_json', 'text', c => c.notNull())
    .addColumn('state', 'text', c => c.notNull())
    .addColumn('created_at', 'bigint', c => c.notNull())
    .addColumn('promoted_at', 'bigint')
    .addUniqueConstraint('generations_number', ['workspace_id', 'collection', 'number'])
    .execute()
  await schema
    .createTable('audit')
    .addColumn('seq', counter(sqlite))
    .addColumn('at', 'bigint', c => c.notNull())
    .addColumn('workspace_id', 'text')
    .addColumn('actor', 'text', c => c.notNull())
    .addColumn('action', 'text', c => c.notNull())
    .addColumn('target', 'text', c => c.notNull())
    .addColumn('detail_json', 'text', c => c.notNull())
    .addColumn('address', 'text', c => c.notNull())
    .addColumn('request_id', 'text', c => c.notNull())
    .execute()
  await schema
    .createTable('refusals')
    .addColumn('request_id', 'text', c => c.primaryKey())
    .addColumn('at', 'bigint', c => c.notNull())
    .addColumn('status', 'integer', c => c.notNull())
    .addColumn('workspace', 'text', c => c.notNull())
    .addColumn('path', 'text', c => c.notNull())
    .addColumn('subject', 'text')
    .addColumn('client_id', 'text')
    .addColumn('checks_json', 'text', c => c.notNull())
    .execute()
  await schema.createIndex('refusals_by_time').on('refusals').column('at').execute()
  await schema
    .createTable('changes')
    .addColumn('seq', counter(sqlite))
    .addColumn('at', 'bigint', c => c.notNull())
    .addColumn('topic', 'text', c => c.notNull())
    .addColumn('key', 'text', c => c.notNull())
    .execute()
}
