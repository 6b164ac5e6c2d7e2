/** Signing keys, encrypted at rest. */
import type { Selectable } from 'kysely'
import type { Db, Writer } from './db.ts'
import type { Tables } from './tables.ts'

export type SigningKeyRow = Selectable<Tables['signing_keys']>

/** Oldest first. */
export const listSigningKeys = (db: Db): Promise<SigningKeyRow[]> =>
  db.selectFrom('signing_keys').selectAll().orderBy('active_from').orderBy('kid').execute()

export const saveSigningKey = async ({ db, announce }: Writer, row: SigningKeyRow): Promise<void> => {
  await db
    .insertInto('signing_keys')
    .values(row)
    .onConflict(c =>
      c.column('kid').doUpdateSet({ retired_at: row.retired_at, active_from: row.active_from }),
    )
    .execute()
  announce('keys', row.kid)
}
