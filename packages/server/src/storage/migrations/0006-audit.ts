import type { Kysely } from 'kysely'
import type { Tables } from '#storage/tables'

/** The audit log is read by workspace, newest first. */
export const audit = {
  async up({ schema }: Kysely<Tables>): Promise<void> {
    await schema.createIndex('audit_by_workspace').on('audit').columns(['workspace_id', 'seq']).execute()
  },
}
