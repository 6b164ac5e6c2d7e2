import { type Kysely, sql } from 'kysely'
import type { Tables } from '#storage/tables'

/** Index for "is another administrator left", with a million members. */
export const administrators = {
  async up(db: Kysely<Tables>): Promise<void> {
    await sql`create index if not exists members_administrators on members (workspace_id) where roles_json like '%"administrator"%'`.execute(
      db,
    )
  },
}
