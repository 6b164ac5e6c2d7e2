/**
 * Refresh tokens that were replaced: used again, they end what they came from (RFC 9700, section 4.14). There is one for each refresh,
 * for as long as the grant is there, so no more is kept of them than a replay is known by; the rest is the grant's.
 */
import type { Db } from './db.ts'
import { hashRecordId } from './oidc-records.ts'

export interface ReplacedToken {
  grantId: string
  /** Thumbprint of the key that it was bound to (RFC 9449): without that it could not be used. */
  jkt?: string
}

/** 132 bits of the 256: still none is found that has the same. */
const hashCharacters = 22
const shortened = (idHash: string): string => idHash.slice(0, hashCharacters)

/** `idHash`: of its record ({@link hashRecordId}), which is removed. */
export const keepReplaced = async (
  db: Db,
  idHash: string,
  { grantId, jkt }: ReplacedToken,
): Promise<void> => {
  await db
    .insertInto('replaced_tokens')
    .values({ id_hash: shortened(idHash), grant_id: grantId, jkt: jkt ?? null })
    .onConflict(c => c.column('id_hash').doNothing())
    .execute()
  await db
    .deleteFrom('oidc_records')
    .where('model', '=', 'RefreshToken')
    .where('id_hash', '=', idHash)
    .execute()
}

export const findReplaced = async (db: Db, id: string): Promise<ReplacedToken | undefined> => {
  const row = await db
    .selectFrom('replaced_tokens')
    .selectAll()
    .where('id_hash', '=', shortened(hashRecordId(id)))
    .executeTakeFirst()
  return row && { grantId: row.grant_id, ...(row.jkt === null ? {} : { jkt: row.jkt }) }
}
