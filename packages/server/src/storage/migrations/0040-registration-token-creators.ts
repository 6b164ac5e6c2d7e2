import { type Kysely, sql } from 'kysely'
import type { Tables } from '#storage/tables'
import { hasColumn } from './has-column.ts'

/** Adds the creator of a registration token. Earlier tokens get the person of the audit log, if there is one of that name only. */
export const registrationTokenCreators = (sqlite: boolean) => ({
  async up(db: Kysely<Tables>): Promise<void> {
    if (!(await hasColumn(db, sqlite, 'registration_tokens', 'created_by')))
      await db.schema.alterTable('registration_tokens').addColumn('created_by', 'text').execute()
    await sql`update registration_tokens set created_by = (
      select max(actor) from audit
      where action = 'createRegistrationToken' and audit.workspace_id = registration_tokens.workspace_id
        and target = registration_tokens.name
      having count(distinct actor) = 1
    )`.execute(db)
    for (const [table, column] of [
      ['registration_tokens', 'created_by'],
      ['invitations', 'invited_by'],
    ] as const)
      await db.schema.createIndex(`${table}_by_${column}`).ifNotExists().on(table).column(column).execute()
  },
})
