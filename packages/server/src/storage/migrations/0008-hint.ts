import type { Kysely } from 'kysely'
import type { Tables } from '#storage/tables'

/** How a Client Secret begins, by which people tell several apart; those that were made before have none. */
export const hint = {
  async up({ schema }: Kysely<Tables>): Promise<void> {
    await schema.alterTable('client_secrets').addColumn('hint', 'text').execute()
  },
}
