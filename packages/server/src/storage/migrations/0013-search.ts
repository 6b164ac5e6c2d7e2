import { type Kysely, sql } from 'kysely'
import type { Tables } from '#storage/tables'

/**
 * Searches of people and accounts by the beginning of address or name, in byte order in both databases.
 * SQLite's unique index already has that order.
 */
export const search = (sqlite: boolean) => ({
  async up(db: Kysely<Tables>): Promise<void> {
    const name = sqlite ? sql`lower(name)` : sql`lower(name collate "C")`
    if (!sqlite)
      await sql`create index if not exists users_by_email on users ((email collate "C"), id)`.execute(db)
    await sql`create index if not exists users_by_name on users ((${name}), id)`.execute(db)
    await sql`create index if not exists clients_by_name on clients (workspace_id, kind, (${name}), id)`.execute(
      db,
    )
  },
})
