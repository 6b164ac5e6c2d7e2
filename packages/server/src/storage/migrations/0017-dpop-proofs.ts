import { type Kysely, sql } from 'kysely'
import type { Tables } from '#storage/tables'

/** DPoP proofs that were used (RFC 9449, section 11.1). Ordered by expiry, so that rows are removed from one end. */
export const dpopProofs = (sqlite: boolean) => ({
  async up({ schema }: Kysely<Tables>): Promise<void> {
    const table = schema
      .createTable('dpop_proofs')
      .ifNotExists()
      .addColumn('expires_at', 'bigint', c => c.notNull())
      .addColumn('id', 'text', c => c.notNull())
      .addPrimaryKeyConstraint('dpop_proofs_pkey', ['expires_at', 'id'])
    await (sqlite ? table.modifyEnd(sql`without rowid`) : table).execute()
  },
})
