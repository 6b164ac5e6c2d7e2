/**
 * Refresh tokens that were replaced: used again, they end what they came from (RFC 9700, section 4.14). There is one for each refresh,
 * for as long as its family may live, so no more is kept of them than a replay is known by; the rest is the grant's.
 */
import { setImmediate } from 'node:timers/promises'
import type { Db, Storage } from './db.ts'
import { hashRecordId } from './oidc-records.ts'

export interface ReplacedToken {
  grantId: string
  /** Thumbprint of the key that it was bound to (RFC 9449): without that it could not be used. */
  jkt?: string
}

/** The refresh token just replaced gives a sibling for so long: two tabs, a lost reply (authorization-server.md, Grants). */
export const siblingSeconds = 30

/** 132 bits of the 256: still none is found that has the same. */
const hashCharacters = 22
const shortenHash = (idHash: string): string => idHash.slice(0, hashCharacters)

/**
 * `idHash`: of its record ({@link hashRecordId}), which is removed; `expiresAt`: when all of its family has expired (milliseconds since
 * 1970).
 */
export const saveReplacedToken = async (
  db: Db,
  idHash: string,
  { grantId, jkt, expiresAt }: ReplacedToken & { expiresAt: number },
): Promise<void> => {
  await insertReplacedTokens(db, [{ idHash, grantId, jkt, expiresAt }])
  await removeRefreshTokens(db, [idHash])
}

const insertReplacedTokens = (
  db: Db,
  tokens: readonly { idHash: string; grantId: string; jkt?: string | undefined; expiresAt: number }[],
) =>
  db
    .insertInto('replaced_tokens')
    .values(
      tokens.map(({ idHash, grantId, jkt, expiresAt }) => ({
        id_hash: shortenHash(idHash),
        grant_id: grantId,
        jkt: jkt ?? null,
        expires_at: expiresAt,
      })),
    )
    .onConflict(c => c.column('id_hash').doNothing())
    .execute()

const removeRefreshTokens = (db: Db, idHashes: readonly string[]) =>
  db.deleteFrom('oidc_records').where('model', '=', 'RefreshToken').where('id_hash', 'in', idHashes).execute()

/** Undefined when it is none, or its family has expired. */
export const findReplacedToken = async (db: Db, id: string): Promise<ReplacedToken | undefined> => {
  const row = await db
    .selectFrom('replaced_tokens')
    .selectAll()
    .where('id_hash', '=', shortenHash(hashRecordId(id)))
    .where('expires_at', '>', Date.now())
    .executeTakeFirst()
  return row && { grantId: row.grant_id, ...(row.jkt === null ? {} : { jkt: row.jkt }) }
}

/** Of one statement, as many as are removed at once (oidc-records.ts). */
const scanBatchSize = 200

/**
 * Looks once at all refresh tokens, in the order of their primary key, and shrinks those that were replaced and are whole, as earlier
 * versions kept them; requests get their turn in between. Those bound to a key stay whole, until they expire.
 */
export const shrinkReplacedTokens = async (storage: Storage): Promise<void> => {
  for (let lastHash: string | undefined = ''; lastHash !== undefined; ) {
    const tokens = await refreshTokensAfter(storage.db, lastHash)
    const now = Date.now()
    const replaced = tokens.flatMap(({ id_hash, grant_id, expires_at, consumed_at, is_bound }) =>
      !is_bound &&
      grant_id !== null &&
      Number(expires_at) > now &&
      consumed_at !== null &&
      consumed_at < now - siblingSeconds * 1000
        ? { idHash: id_hash, grantId: grant_id, expiresAt: Number(expires_at) }
        : [],
    )
    if (replaced.length > 0) await shrinkTokens(storage, replaced)
    lastHash = tokens.length < scanBatchSize ? undefined : tokens.at(-1)?.id_hash
    await setImmediate()
  }
}

const refreshTokensAfter = (db: Db, after: string) =>
  db
    .selectFrom('oidc_records')
    .select(({ eb }) => [
      ...(['id_hash', 'grant_id', 'expires_at', 'consumed_at'] as const),
      eb('payload_json', 'like', '%"jkt"%').as('is_bound'),
    ])
    .where('model', '=', 'RefreshToken')
    .where('id_hash', '>', after)
    .orderBy('id_hash')
    .limit(scanBatchSize)
    .execute()

const shrinkTokens = (
  { db, kind }: Storage,
  tokens: readonly { idHash: string; grantId: string; expiresAt: number }[],
): Promise<void> =>
  db.transaction().execute(async trx => {
    let query = trx
      .selectFrom('oidc_records')
      .select('id_hash')
      .where('model', '=', 'RefreshToken')
      .where(
        'id_hash',
        'in',
        tokens.map(({ idHash }) => idHash),
      )
    // What another transaction ends, or another node shrinks, is left to it: so none waits for one that waits for it.
    if (kind === 'postgres') query = query.forUpdate().skipLocked()
    const lockedHashes = new Set((await query.execute()).map(({ id_hash }) => id_hash))
    if (lockedHashes.size === 0) return
    await insertReplacedTokens(
      trx,
      tokens.filter(({ idHash }) => lockedHashes.has(idHash)),
    )
    await removeRefreshTokens(trx, [...lockedHashes])
  })
