/**
 * Replaced refresh tokens. Using one again ends its whole family (RFC 9700, section 4.14). There is one row
 * for each refresh while the family may live, so a row has only what detects a replay; the grant has the
 * rest.
 */
import { setImmediate } from 'node:timers/promises'
import type { Db, Storage } from './db.ts'
import { hashRecordId } from './oidc-records.ts'

export interface ReplacedToken {
  grantId: string
  /** Thumbprint of the key it was bound to (RFC 9449): it cannot be used without it. */
  jkt?: string
}

/** How long a replaced refresh token still gives a sibling, for two tabs or a lost reply. */
export const siblingSeconds = 30

/** 132 of 256 bits: still too many to find a collision. */
const hashCharacters = 22
const shortenHash = (idHash: string): string => idHash.slice(0, hashCharacters)

/**
 * `idHash`: id of the record, which is removed ({@link hashRecordId}). `expiresAt`: when the whole family has
 * expired, in milliseconds since 1970.
 */
export const saveReplacedToken = async (
  db: Db,
  idHash: string,
  { grantId, jkt, expiresAt }: ReplacedToken & { expiresAt: number },
): Promise<void> => {
  await insertReplacedTokens(db, [{ idHash, grantId, jkt, expiresAt }])
  await removeRefreshTokens(db, [idHash])
}

/**
 * Ends unused siblings of a replaced token, once a successor of its own is used: two requests have confirmed this branch, so nobody waits for the
 * others, and one of them may be a thief's. Using one is refused, and ends nothing else: it may be a tab that slept. `idHash`: of the replaced
 * token, before {@link saveReplacedToken} removes it.
 */
export const endUnusedSiblings = async (db: Db, idHash: string): Promise<void> => {
  const selectTokens = db.selectFrom('oidc_records').where('model', '=', 'RefreshToken')
  const row = await selectTokens.select('uid').where('id_hash', '=', idHash).executeTakeFirst()
  // The first token of a family has no siblings.
  if (!row || row.uid === null) return
  const siblings = await selectTokens
    .select('id_hash')
    .where('uid', '=', row.uid)
    .where('id_hash', '!=', idHash)
    .where('consumed_at', 'is', null)
    .execute()
  // One statement each holds one lock, which prevents deadlocks with the end of the grant.
  for (const { id_hash } of siblings)
    await db
      .deleteFrom('oidc_records')
      .where('model', '=', 'RefreshToken')
      .where('id_hash', '=', id_hash)
      .where('consumed_at', 'is', null)
      .execute()
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

/** Returns undefined if it was not replaced, or its family has expired. */
export const findReplacedToken = async (db: Db, id: string): Promise<ReplacedToken | undefined> => {
  const row = await db
    .selectFrom('replaced_tokens')
    .selectAll()
    .where('id_hash', '=', shortenHash(hashRecordId(id)))
    .where('expires_at', '>', Date.now())
    .executeTakeFirst()
  return row && { grantId: row.grant_id, ...(row.jkt === null ? {} : { jkt: row.jkt }) }
}

/** Rows per statement, as many as are removed at once (oidc-records.ts). */
const scanBatchSize = 200

/**
 * Scans all refresh tokens once, by primary key, and shrinks replaced ones that earlier versions kept in
 * full. Other requests run in between. Tokens bound to a key stay in full until they expire.
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
    // Skips rows locked by other transactions or nodes, which prevents deadlocks.
    if (kind === 'postgres') query = query.forUpdate().skipLocked()
    const lockedHashes = new Set((await query.execute()).map(({ id_hash }) => id_hash))
    if (lockedHashes.size === 0) return
    await insertReplacedTokens(
      trx,
      tokens.filter(({ idHash }) => lockedHashes.has(idHash)),
    )
    await removeRefreshTokens(trx, [...lockedHashes])
  })
