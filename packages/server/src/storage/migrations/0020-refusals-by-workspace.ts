import type { Kysely } from 'kysely'
import type { Tables } from '#storage/tables'

/** The list of rejected requests of a workspace. */
export const refusalsByWorkspace = {
  async up({ schema }: Kysely<Tables>): Promise<void> {
    await schema
      .createIndex('refusals_by_workspace')
      .ifNotExists()
      .on('refusals')
      .columns(['workspace', 'at'])
      .execute()
  },
}
