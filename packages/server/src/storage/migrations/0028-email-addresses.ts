import { canonicalEmail } from '@querent/contract/email-address'
import { type Kysely, sql } from 'kysely'
import type { Tables } from '#storage/tables'

/**
 * Gives stored addresses their one form: earlier versions stored them as typed, in lower case, so that one mailbox could be two people. If another
 * person has that form already, both keep what they have, and `email_clashes` names them (docs/operate.md).
 */
export const emailAddresses = (sqlite: boolean) => ({
  async up(db: Kysely<Tables>): Promise<void> {
    await db.schema
      .createTable('email_clashes')
      .ifNotExists()
      .addColumn('user_id', 'text', c => c.primaryKey().references('users.id').onDelete('cascade'))
      .addColumn('other_id', 'text', c => c.notNull().references('users.id').onDelete('cascade'))
      .execute()
    // ASCII has one form only.
    const isBeyondAscii = (column: string) =>
      sqlite
        ? sql<boolean>`${sql.ref(column)} glob '*[^' || char(1) || '-' || char(127) || ']*'`
        : sql<boolean>`${sql.ref(column)} ~ '[^\x01-\x7f]'`
    const users = await db
      .selectFrom('users')
      .select(['id', 'email'])
      .where(isBeyondAscii('email'))
      .orderBy('created_at')
      .orderBy('id')
      .execute()
    for (const { id, email } of users) {
      const address = canonicalEmail(email)
      if (address === email) continue
      const owner = await db.selectFrom('users').select('id').where('email', '=', address).executeTakeFirst()
      if (owner)
        await db
          .insertInto('email_clashes')
          .values({ user_id: id, other_id: owner.id })
          .onConflict(c => c.doNothing())
          .execute()
      else await db.updateTable('users').set({ email: address }).where('id', '=', id).execute()
    }
    // The newest first, so that one open invitation to a mailbox stays.
    const invitations = await db
      .selectFrom('invitations')
      .select(['id', 'workspace_id', 'email'])
      .where(isBeyondAscii('email'))
      .orderBy('created_at', 'desc')
      .execute()
    for (const { id, workspace_id: workspaceId, email } of invitations) {
      const address = canonicalEmail(email)
      if (address === email) continue
      const isOpen = sql<boolean>`accepted_at is null and withdrawn_at is null`
      await db
        .updateTable('invitations')
        .set({ withdrawn_at: Date.now() })
        .where('id', '=', id)
        .where(isOpen)
        .where(({ exists, selectFrom }) =>
          exists(
            selectFrom('invitations as other')
              .select('other.id')
              .where('other.workspace_id', '=', workspaceId)
              .where('other.email', '=', address)
              .where('other.accepted_at', 'is', null)
              .where('other.withdrawn_at', 'is', null),
          ),
        )
        .execute()
      await db.updateTable('invitations').set({ email: address }).where('id', '=', id).execute()
    }
    const links = await db
      .selectFrom('one_time_links')
      .select(['token_hash', 'email'])
      .where('email', 'is not', null)
      .where(isBeyondAscii('email'))
      .execute()
    for (const { token_hash: hash, email } of links)
      await db
        .updateTable('one_time_links')
        .set({ email: canonicalEmail(email ?? '') })
        .where('token_hash', '=', hash)
        .execute()
  },
})
