/** People, identified by e-mail address. Addresses are stored and compared in their one form (contract/src/email-address.ts). */
import { randomUUID } from 'node:crypto'
import { canonicalEmail } from '@querent/contract/email-address'
import type { Selectable } from 'kysely'
import type { Db, Writer } from './db.ts'
import { removeSignInsOfUser } from './sign-in-log.ts'
import type { Tables } from './tables.ts'
import { eraseEmailFromTexts } from './workspace-texts.ts'

export type UserRow = Selectable<Tables['users']>

/** Without characters that hide or reorder others. Joiners stay: Persian names and emoji need them. */
const cleanName = (name: string): string =>
  name
    .normalize('NFC')
    .replaceAll(/(?![\s\u200c\u200d])\p{C}/gu, '')
    .replaceAll(/\s+/gu, ' ')
    .trim()

/** Empty if the person gave no name, or the address. */
const givenName = (name: string, email: string): string =>
  canonicalEmail(name) === canonicalEmail(email) ? '' : cleanName(name)

/**
 * Name for other people. The stored name stays empty if none was given, so that applications do not learn the
 * address.
 */
export const displayName = ({ name, email }: Pick<UserRow, 'name' | 'email'>): string => name || email

/**
 * `emailVerified`: an operator vouches for the address (default false). Returns undefined if the address is
 * taken.
 */
export const createUser = async (
  { db }: Writer,
  user: { email: string; name?: string; passwordHash?: string; operator?: boolean; emailVerified?: boolean },
): Promise<UserRow | undefined> =>
  db
    .insertInto('users')
    .values({
      id: randomUUID(),
      email: canonicalEmail(user.email),
      name: givenName(user.name ?? '', user.email),
      password_hash: user.passwordHash ?? null,
      operator: user.operator ? 1 : 0,
      disabled: 0,
      created_at: Date.now(),
      email_verified: user.emailVerified ? 1 : 0,
      language: null,
    })
    .onConflict(c => c.column('email').doNothing())
    .returningAll()
    .executeTakeFirst()

export const findUser = (db: Db, id: string): Promise<UserRow | undefined> =>
  db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()

/**
 * Finds a person by their address in any spelling. An earlier version stored some addresses in two spellings, as two people
 * (email-clashes.ts): each is found by exactly their own.
 */
export const findUserByEmail = async (db: Db, email: string): Promise<UserRow | undefined> => {
  const address = canonicalEmail(email)
  const spelling = email.trim().toLowerCase()
  const isOtherSpelling = spelling !== address && canonicalEmail(spelling) === address
  const rows = await db
    .selectFrom('users')
    .selectAll()
    .where('email', 'in', isOtherSpelling ? [address, spelling] : [address])
    .execute()
  return rows.find(row => row.email === spelling) ?? rows[0]
}

/** Returns the users with these ids, at most 1,000, in any order. */
export const findUsers = async (db: Db, ids: readonly string[]): Promise<UserRow[]> =>
  ids.length === 0 ? [] : db.selectFrom('users').selectAll().where('id', 'in', ids).execute()

/** Lists users after the address `after`, in order of address. */
export const listUsers = (db: Db, after: string, count: number): Promise<UserRow[]> =>
  db.selectFrom('users').selectAll().where('email', '>', after).orderBy('email').limit(count).execute()

/** Returns the operator created by `querent init`. */
export const findFirstOperator = (db: Db): Promise<UserRow | undefined> =>
  db
    .selectFrom('users')
    .selectAll()
    .where('operator', '=', 1)
    .orderBy('created_at')
    .limit(1)
    .executeTakeFirst()

/** Whether any operator can sign in with a password. */
export const hasOperatorPassword = async (db: Db): Promise<boolean> => {
  const row = await db
    .selectFrom('users')
    .select('id')
    .where('operator', '=', 1)
    .where('password_hash', 'is not', null)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export const setUserDisabled = async (
  { db, announce }: Writer,
  id: string,
  disabled: boolean,
): Promise<void> => {
  await db
    .updateTable('users')
    .set({ disabled: disabled ? 1 : 0 })
    .where('id', '=', id)
    .execute()
  announce('user', id)
}

/** `passwordHash` in PHC form. */
export const setPassword = async (
  { db, announce }: Writer,
  id: string,
  passwordHash: string,
): Promise<void> => {
  await db.updateTable('users').set({ password_hash: passwordHash }).where('id', '=', id).execute()
  announce('user', id)
}

/** The person used a link mailed to their address. */
export const setEmailVerified = async ({ db, announce }: Writer, id: string): Promise<void> => {
  await db.updateTable('users').set({ email_verified: 1 }).where('id', '=', id).execute()
  announce('user', id)
}

/** Empty: the person is shown by their address. */
export const setName = async (
  { db, announce }: Writer,
  { id, email }: UserRow,
  name: string,
): Promise<void> => {
  await db
    .updateTable('users')
    .set({ name: givenName(name, email) })
    .where('id', '=', id)
    .execute()
  announce('user', id)
}

/**
 * Changes the address to one that the person has proved. Returns false if it is taken. One of two concurrent calls
 * with the same address succeeds; the other returns false or rejects, because addresses are unique.
 */
export const setEmail = async ({ db, announce }: Writer, id: string, email: string): Promise<boolean> => {
  const address = canonicalEmail(email)
  // A violated unique index would end the transaction on PostgreSQL.
  const row = await db
    .updateTable('users')
    .set({ email: address, email_verified: 1 })
    .where('id', '=', id)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('users as other').select('other.id').where('other.email', '=', address))),
    )
    .returning('id')
    .executeTakeFirst()
  if (!row) return false
  await db
    .deleteFrom('email_clashes')
    .where(e => e.or([e('user_id', '=', id), e('other_id', '=', id)]))
    .execute()
  announce('user', id)
  return true
}

/** `language`: tag of the language read last; null: as the browser says. */
export const setLanguage = async (
  { db, announce }: Writer,
  id: string,
  language: string | null,
): Promise<void> => {
  await db.updateTable('users').set({ language }).where('id', '=', id).execute()
  announce('user', id)
}

/**
 * Removes the person and their one-time links; memberships, sessions and grants must be ended before.
 * Replaces the address in stored workspace files, and removes their entries of the sign-in log.
 */
export const removeUser = async ({ db, announce }: Writer, id: string): Promise<void> => {
  const user = await db.deleteFrom('users').where('id', '=', id).returning('email').executeTakeFirst()
  if (user) await eraseEmailFromTexts({ db }, user.email)
  await removeSignInsOfUser(db, id)
  announce('user', id)
}
