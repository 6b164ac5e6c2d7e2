import type { Kysely } from 'kysely'
import type { Tables } from '#storage/tables'

/** Authenticator apps (RFC 6238), recovery codes and passkeys (Web Authentication). */
export const secondFactors = {
  async up({ schema }: Kysely<Tables>): Promise<void> {
    await schema
      .createTable('authenticator_apps')
      .ifNotExists()
      .addColumn('user_id', 'text', c => c.primaryKey().references('users.id').onDelete('cascade'))
      .addColumn('encrypted_secret', 'text', c => c.notNull())
      .addColumn('last_step', 'bigint', c => c.notNull())
      .addColumn('created_at', 'bigint', c => c.notNull())
      .addColumn('last_used_at', 'bigint')
      .execute()
    await schema
      .createTable('recovery_codes')
      .ifNotExists()
      .addColumn('user_id', 'text', c => c.notNull().references('users.id').onDelete('cascade'))
      .addColumn('salt', 'text', c => c.notNull())
      .addColumn('hash', 'text', c => c.notNull())
      .addPrimaryKeyConstraint('recovery_codes_key', ['user_id', 'hash'])
      .execute()
    await schema
      .createTable('passkeys')
      .ifNotExists()
      .addColumn('id', 'text', c => c.primaryKey())
      .addColumn('user_id', 'text', c => c.notNull().references('users.id').onDelete('cascade'))
      .addColumn('name', 'text', c => c.notNull())
      .addColumn('public_key', 'text', c => c.notNull())
      .addColumn('counter', 'bigint', c => c.notNull())
      .addColumn('transports_json', 'text', c => c.notNull())
      .addColumn('synced', 'integer', c => c.notNull())
      .addColumn('created_at', 'bigint', c => c.notNull())
      .addColumn('last_used_at', 'bigint')
      .execute()
    await schema
      .createIndex('passkeys_by_user')
      .ifNotExists()
      .on('passkeys')
      .columns(['user_id', 'created_at'])
      .execute()
  },
}
