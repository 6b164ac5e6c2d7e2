/** Signing keys, encrypted at rest. */
import { type Selectable, sql } from 'kysely'
import type { Db, Storage, Writer } from './db.ts'
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

export const removeSigningKey = async ({ db, announce }: Writer, kid: string): Promise<void> => {
  await db.deleteFrom('signing_keys').where('kid', '=', kid).execute()
  announce('keys', kid)
}

/**
 * Blocks other transactions from adding keys: of several starting nodes, one creates them and the others find
 * them.
 */
export const lockSigningKeys = async ({ db }: Writer, kind: Storage['kind']): Promise<void> => {
  // On SQLite every transaction holds the write lock from its beginning (sqlite-dialect.ts).
  if (kind === 'postgres') await sql`lock table signing_keys in share row exclusive mode`.execute(db)
}
