/** Access tokens and grants that ended before their time. */
import type { Db, Writer } from './db.ts'

/** Of two calls for the same id the later `expiresAt` holds: when the last token concerned has expired anyway (milliseconds since 1970). */
export const revoke = async (
  { db, announce }: Writer,
  kind: 'token' | 'grant',
  id: string,
  expiresAt: number,
): Promise<void> => {
  await db
    .insertInto('revocations')
    .values({ kind, id, expires_at: expiresAt })
    .onConflict(c =>
      c
        .columns(['kind', 'id'])
        .doUpdateSet({ expires_at: expiresAt })
        .where('revocations.expires_at', '<', expiresAt),
    )
    .execute()
  announce(kind, id)
}

export const isRevoked = async (db: Db, kind: 'token' | 'grant', id: string): Promise<boolean> =>
  (await db
    .selectFrom('revocations')
    .select('id')
    .where('kind', '=', kind)
    .where('id', '=', id)
    .executeTakeFirst()) !== undefined

/** Forgets what concerns expired tokens only; `slackMs` covers clocks that differ. */
export const pruneRevocations = async (db: Db, slackMs: number): Promise<void> => {
  await db
    .deleteFrom('revocations')
    .where('expires_at', '<', Date.now() - slackMs)
    .execute()
}
