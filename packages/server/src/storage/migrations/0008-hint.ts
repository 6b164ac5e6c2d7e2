import type { Kysely } from 'kysely'
import type { Tables } from '#storage/tables'

/** First characters of a Client Secret, to recognize it; earlier secrets have none. */
export const hint = {
  async up({ schema }: Kysely<Tables>): Promise<void> {
    await schema.alterTable('client_secrets').addColumn('hint', 'text').execute()
  },
}
