/** Links for a single action, such as choosing a new password. */
import { randomBytes } from 'node:crypto'
import { hashSecret } from './clients.ts'
import { createRowReader, type Row } from './columns.ts'
import type { Db, Writer } from './db.ts'
import { oneTimeLinkColumns, type Tables } from './tables.ts'
import { setEmailVerified } from './users.ts'

type Purpose = Tables['one_time_links']['purpose']

export type OneTimeLink = Row<typeof oneTimeLinkColumns>

const toLink = createRowReader(oneTimeLinkColumns)

const tokenPrefix = 'qrl_'

/**
 * Creates a link token, stored as a hash. Ends an earlier link of the same purpose and person. `mailed`: it
 * goes only to the person's address, so using it proves the address. `email`: the new address that it confirms.
 */
export const createOneTimeLink = async (
  { db }: Writer,
  {
    purpose,
    userId,
    ttlMs,
    mailed = false,
    email = null,
  }: { purpose: Purpose; userId: string; ttlMs: number; mailed?: boolean; email?: string | null },
): Promise<{ token: string; expiresAt: number }> => {
  const token = `${tokenPrefix}${randomBytes(32).toString('base64url')}`
  const expiresAt = Date.now() + ttlMs
  await saveLink(db, { purpose, userId, token, expiresAt, mailed: mailed ? 1 : 0, email })
  return { token, expiresAt }
}

const saveLink = async (
  db: Db,
  link: {
    purpose: Purpose
    userId: string
    token: string
    expiresAt: number
    mailed: number
    email: string | null
  },
): Promise<void> => {
  const { purpose, userId, token, expiresAt, mailed, email } = link
  const changed = { token_hash: hashSecret(token), expires_at: expiresAt, mailed, email }
  await db
    .insertInto('one_time_links')
    .values({ purpose, user_id: userId, ...changed })
    .onConflict(c => c.columns(['purpose', 'user_id']).doUpdateSet(changed))
    .execute()
}

/**
 * Returns a deterministic link: concurrent and repeated calls get the same link while it is valid. `tokenAt`
 * derives the secret part of the token from the expiry.
 */
export const findOrCreateOneTimeLink = async (
  { db }: Writer,
  {
    purpose,
    userId,
    ttlMs,
    tokenAt,
  }: { purpose: Purpose; userId: string; ttlMs: number; tokenAt(expiresAt: number): string },
): Promise<{ token: string; expiresAt: number }> => {
  // One of several concurrent transactions creates the link, and the others find it. Setting the id would cost as
  // much as in lockWorkspaceById.
  await db
    .updateTable('users')
    .set(({ ref }) => ({ disabled: ref('disabled') }))
    .where('id', '=', userId)
    .execute()
  const row = await db
    .selectFrom('one_time_links')
    .selectAll()
    .where('purpose', '=', purpose)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  const makeLink = (expiresAt: number) => ({ token: `${tokenPrefix}${tokenAt(expiresAt)}`, expiresAt })
  const existing = makeLink(row?.expires_at ?? 0)
  if (row && row.expires_at > Date.now() && row.token_hash === hashSecret(existing.token)) return existing
  const { token, expiresAt } = makeLink(Date.now() + ttlMs)
  await saveLink(db, { purpose, userId, token, expiresAt, mailed: 0, email: null })
  return { token, expiresAt }
}

/** Undefined if the link was used, replaced or has expired. */
export const findOneTimeLink = async (db: Db, token: string): Promise<OneTimeLink | undefined> => {
  const row = await db
    .selectFrom('one_time_links')
    .selectAll()
    .where('token_hash', '=', hashSecret(token))
    .where('expires_at', '>', Date.now())
    .executeTakeFirst()
  return row && toLink(row)
}

/** Returns the person's link of this purpose that has not expired. */
export const findLinkFor = async (
  db: Db,
  userId: string,
  purpose: Purpose,
): Promise<OneTimeLink | undefined> => {
  const row = await db
    .selectFrom('one_time_links')
    .selectAll()
    .where('purpose', '=', purpose)
    .where('user_id', '=', userId)
    .where('expires_at', '>', Date.now())
    .executeTakeFirst()
  return row && toLink(row)
}

/**
 * Uses the link of a new password up. Returns the user id, once: one of two concurrent calls succeeds. Undefined if the link was used,
 * replaced or has expired.
 */
export const useOneTimeLink = async (writer: Writer, token: string): Promise<string | undefined> => {
  const row = await writer.db
    .deleteFrom('one_time_links')
    .where('purpose', '=', 'password')
    .where('token_hash', '=', hashSecret(token))
    .where('expires_at', '>', Date.now())
    .returning(['user_id', 'mailed'])
    .executeTakeFirst()
  if (row?.mailed === 1) await setEmailVerified(writer, row.user_id)
  return row?.user_id
}

/**
 * Uses the link of a new address up, for the person who asked for it. Returns the address, once. Undefined if the link was used, replaced,
 * has expired or is another person's.
 */
export const useEmailLink = async (
  { db }: Writer,
  userId: string,
  token: string,
): Promise<string | undefined> => {
  const row = await db
    .deleteFrom('one_time_links')
    .where('purpose', '=', 'email')
    .where('user_id', '=', userId)
    .where('token_hash', '=', hashSecret(token))
    .where('expires_at', '>', Date.now())
    .returning('email')
    .executeTakeFirst()
  return row?.email ?? undefined
}

/** Ends the person's link of one purpose. Returns false if there was none. */
export const endLinkFor = async ({ db }: Writer, userId: string, purpose: Purpose): Promise<boolean> => {
  const row = await db
    .deleteFrom('one_time_links')
    .where('purpose', '=', purpose)
    .where('user_id', '=', userId)
    .returning('expires_at')
    .executeTakeFirst()
  return row !== undefined && row.expires_at > Date.now()
}

/** Ends all links of a person, such as after a password change. */
export const endOneTimeLinks = async ({ db }: Writer, userId: string): Promise<void> => {
  await db.deleteFrom('one_time_links').where('user_id', '=', userId).execute()
}

export const pruneOneTimeLinks = async (db: Db): Promise<void> => {
  await db.deleteFrom('one_time_links').where('expires_at', '<', Date.now()).execute()
}
