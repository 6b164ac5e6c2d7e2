import { type Kysely, sql } from 'kysely'
import type { Tables } from '#storage/tables'

/** Whether another administrator is left is asked of workspaces with a million members. */
export const administrators = {
  async up(db: Kysely<Tables>): Promise<void> {
    await sql`create index if not exists members_administrators on members (workspace_id) where roles_json like '%"administrator"%'`.execute(
      db,
    )
  },
}
