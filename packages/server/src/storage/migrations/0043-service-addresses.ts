import type { Kysely } from 'kysely'
import type { Tables } from '#storage/tables'
import { hasColumn } from './has-column.ts'

/** Addresses of the servers on this storage, and the host name that each passkey belongs to. */
export const serviceAddresses = (sqlite: boolean) => ({
  async up(db: Kysely<Tables>): Promise<void> {
    await db.schema
      .createTable('service_addresses')
      .ifNotExists()
      .addColumn('base_url', 'text', c => c.notNull())
      .addColumn('auth_url', 'text', c => c.notNull())
      .addColumn('used_from', 'bigint', c => c.notNull())
      .addPrimaryKeyConstraint('service_addresses_key', ['base_url', 'auth_url'])
      .execute()
    if (!(await hasColumn(db, sqlite, 'passkeys', 'rp_id')))
      await db.schema.alterTable('passkeys').addColumn('rp_id', 'text').execute()
  },
})
