import { type Kysely, sql } from 'kysely'
import type { Tables } from '#storage/tables'

/** A refresh token just replaced gives a sibling for so long (oauth/adapter.ts). */
const siblingMs = 30_000

/** Of refresh tokens that were replaced is kept what a replay is known by; they were kept whole. */
export const replacedTokens = {
  async up(db: Kysely<Tables>): Promise<void> {
    await db.schema
      .createTable('replaced_tokens')
      .addColumn('id_hash', 'text', c => c.primaryKey())
      .addColumn('grant_id', 'text', c => c.notNull())
      .addColumn('jkt', 'text')
      .execute()
    await db.schema.createIndex('replaced_tokens_by_grant').on('replaced_tokens').column('grant_id').execute()
    // Those bound to a key (RFC 9449) stay as they are, until they expire.
    const replaced = sql`from oidc_records where model = 'RefreshToken' and consumed_at < ${Date.now() - siblingMs}
      and grant_id is not null and payload_json not like '%"jkt"%'`
    await sql`insert into replaced_tokens (id_hash, grant_id) select substr(id_hash, 1, 22), grant_id ${replaced}`.execute(
      db,
    )
    await sql`delete ${replaced}`.execute(db)
  },
}
