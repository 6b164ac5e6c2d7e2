/** Access tokens and grants that were revoked before they expired. */
import type { Db, Writer } from './db.ts'

/**
 * `expiresAt`: when the last affected token has expired anyway, in milliseconds since 1970. The later of two
 * calls for the same id wins.
 */
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

/** Removes revocations of expired tokens; `slackMs` allows for different clocks. */
export const pruneRevocations = async (db: Db, slackMs: number): Promise<void> => {
  await db
    .deleteFrom('revocations')
    .where('expires_at', '<', Date.now() - slackMs)
    .execute()
}
