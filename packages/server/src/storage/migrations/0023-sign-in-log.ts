import type { Kysely } from 'kysely'
import type { Tables } from '#storage/tables'

/** The sign-in log, and when a person last got a security notice of a kind. */
export const signInLog = {
  async up({ schema }: Kysely<Tables>): Promise<void> {
    await schema
      .createTable('sign_ins')
      .ifNotExists()
      .addColumn('id', 'text', c => c.primaryKey())
      .addColumn('at', 'bigint', c => c.notNull())
      .addColumn('kind', 'text', c => c.notNull())
      .addColumn('result', 'text', c => c.notNull())
      .addColumn('failed', 'integer', c => c.notNull())
      .addColumn('method', 'text')
      .addColumn('user_id', 'text')
      .addColumn('client_id', 'text')
      .addColumn('workspace_id', 'text', c => c.notNull())
      .addColumn('source', 'text', c => c.notNull())
      .addColumn('address', 'text', c => c.notNull())
      .addColumn('browser', 'text')
      .addColumn('system', 'text')
      .addColumn('request_id', 'text', c => c.notNull())
      .execute()
    for (const [name, columns] of [
      ['sign_ins_by_workspace', ['workspace_id', 'failed', 'id']],
      ['sign_ins_by_source', ['workspace_id', 'failed', 'source', 'id']],
      ['sign_ins_by_user', ['user_id', 'failed', 'id']],
    ] as const)
      await schema
        .createIndex(name)
        .ifNotExists()
        .on('sign_ins')
        .columns([...columns])
        .execute()
    await schema
      .createTable('security_notices')
      .ifNotExists()
      .addColumn('user_id', 'text', c => c.notNull().references('users.id').onDelete('cascade'))
      .addColumn('kind', 'text', c => c.notNull())
      .addColumn('sent_at', 'bigint', c => c.notNull())
      .addPrimaryKeyConstraint('security_notices_key', ['user_id', 'kind'])
      .execute()
  },
}
