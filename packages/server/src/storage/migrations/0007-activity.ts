import type { Kysely } from 'kysely'
import type { Tables } from '#storage/tables'

/** When a member was last active in a workspace. */
export const activity = {
  async up({ schema }: Kysely<Tables>): Promise<void> {
    await schema.alterTable('members').addColumn('last_active_at', 'bigint').execute()
  },
}
