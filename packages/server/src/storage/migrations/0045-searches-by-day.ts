import type { Kysely } from 'kysely'
import type { Tables } from '#storage/tables'

/** An index for the newest texts of the query log, which the start checks. */
export const searchesByDay = {
  async up({ schema }: Kysely<Tables>): Promise<void> {
    await schema.createIndex('searches_by_day').ifNotExists().on('searches').column('day').execute()
  },
}
