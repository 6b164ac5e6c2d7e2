/** Second factors of people: authenticator app, recovery codes and passkeys. */
import type { Selectable } from 'kysely'
import type { Db, Writer } from './db.ts'
import type { Tables } from './tables.ts'

export type AuthenticatorAppRow = Selectable<Tables['authenticator_apps']>
export type PasskeyRow = Selectable<Tables['passkeys']>

/** More would help nobody, and each is sent to the browser when signing in. */
export const passkeysMax = 20

export const findAuthenticatorApp = (db: Db, userId: string): Promise<AuthenticatorAppRow | undefined> =>
  db.selectFrom('authenticator_apps').selectAll().where('user_id', '=', userId).executeTakeFirst()

/** Replaces an earlier one. `step`: time step of the code that confirmed it. */
export const saveAuthenticatorApp = async (
  { db }: Writer,
  { userId, encryptedSecret, step }: { userId: string; encryptedSecret: string; step: number },
): Promise<void> => {
  const row = {
    encrypted_secret: encryptedSecret,
    last_step: step,
    created_at: Date.now(),
    last_used_at: null,
  }
  await db
    .insertInto('authenticator_apps')
    .values({ user_id: userId, ...row })
    .onConflict(c => c.column('user_id').doUpdateSet(row))
    .execute()
}

/**
 * Uses the code of this time step up (RFC 6238, section 5.2). Returns false if it, or a later one, was used
 * before: one of two concurrent calls on any node succeeds. `encryptedSecret`: the one that the code fits.
 */
export const useTimeStep = async (
  db: Db,
  { userId, encryptedSecret, step }: { userId: string; encryptedSecret: string; step: number },
): Promise<boolean> => {
  const row = await db
    .updateTable('authenticator_apps')
    .set({ last_step: step, last_used_at: Date.now() })
    .where('user_id', '=', userId)
    .where('encrypted_secret', '=', encryptedSecret)
    .where('last_step', '<', step)
    .returning('user_id')
    .executeTakeFirst()
  return row !== undefined
}

/** Returns false if there is none. */
export const removeAuthenticatorApp = async (writer: Writer, userId: string): Promise<boolean> => {
  const row = await writer.db
    .deleteFrom('authenticator_apps')
    .where('user_id', '=', userId)
    .returning('user_id')
    .executeTakeFirst()
  await removeUselessRecoveryCodes(writer, userId)
  return row !== undefined
}

/** Ends earlier codes. */
export const replaceRecoveryCodes = async (
  { db }: Writer,
  userId: string,
  { salt, hashes }: { salt: string; hashes: readonly string[] },
): Promise<void> => {
  await db.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
  await db
    .insertInto('recovery_codes')
    .values(hashes.map(hash => ({ user_id: userId, salt, hash })))
    .execute()
}

/** Returns the salt of the person's unused codes. */
export const findRecoverySalt = async (db: Db, userId: string): Promise<string | undefined> => {
  const row = await db
    .selectFrom('recovery_codes')
    .select('salt')
    .where('user_id', '=', userId)
    .limit(1)
    .executeTakeFirst()
  return row?.salt
}

/** Uses the code up. Returns false if there is none: one of two concurrent calls succeeds. */
export const useRecoveryCode = async (db: Db, userId: string, hash: string): Promise<boolean> => {
  const row = await db
    .deleteFrom('recovery_codes')
    .where('user_id', '=', userId)
    .where('hash', '=', hash)
    .returning('user_id')
    .executeTakeFirst()
  return row !== undefined
}

export const countRecoveryCodes = async (db: Db, userId: string): Promise<number> => {
  const { count } = await db
    .selectFrom('recovery_codes')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Oldest first. */
export const listPasskeys = (db: Db, userId: string): Promise<PasskeyRow[]> =>
  db
    .selectFrom('passkeys')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()

export const findPasskey = (db: Db, id: string): Promise<PasskeyRow | undefined> =>
  db.selectFrom('passkeys').selectAll().where('id', '=', id).executeTakeFirst()

/** Returns false if the credential is registered already, for this person or another, or there are too many. */
export const addPasskey = async (
  { db }: Writer,
  row: Omit<PasskeyRow, 'created_at' | 'last_used_at' | 'rp_id'> & Partial<Pick<PasskeyRow, 'rp_id'>>,
): Promise<boolean> => {
  if ((await listPasskeys(db, row.user_id)).length >= passkeysMax) return false
  const added = await db
    .insertInto('passkeys')
    .values({ ...row, created_at: Date.now(), last_used_at: null })
    .onConflict(c => c.column('id').doNothing())
    .returning('id')
    .executeTakeFirst()
  return added !== undefined
}

/**
 * Records a use. Returns false if the passkey was removed, or used meanwhile with another counter: of two
 * copies that sign at the same moment, one is refused (Web Authentication, section 6.1.1).
 */
export const usePasskey = async (
  db: Db,
  { id, counter }: Pick<PasskeyRow, 'id' | 'counter'>,
  newCounter: number,
): Promise<boolean> => {
  const row = await db
    .updateTable('passkeys')
    .set({ counter: newCounter, last_used_at: Date.now() })
    .where('id', '=', id)
    .where('counter', '=', counter)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Returns false if the person has no such passkey. */
export const renamePasskey = async (
  { db }: Writer,
  { userId, id, name }: { userId: string; id: string; name: string },
): Promise<boolean> => {
  const row = await db
    .updateTable('passkeys')
    .set({ name })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Returns the removed passkey; undefined if the person has no such one. */
export const removePasskey = async (
  writer: Writer,
  userId: string,
  id: string,
): Promise<PasskeyRow | undefined> => {
  const row = await writer.db
    .deleteFrom('passkeys')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .returningAll()
    .executeTakeFirst()
  await removeUselessRecoveryCodes(writer, userId)
  return row
}

/** Recovery codes replace a factor. Without one they would let nobody in. */
const removeUselessRecoveryCodes = async ({ db }: Writer, userId: string): Promise<void> => {
  if (!(await hasSecondFactor(db, userId)))
    await db.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
}

/** Whether the person has an authenticator app or a passkey. */
export const hasSecondFactor = async (db: Db, userId: string): Promise<boolean> => {
  const row = await db
    .selectFrom('authenticator_apps')
    .select('user_id')
    .where('user_id', '=', userId)
    .unionAll(db.selectFrom('passkeys').select('user_id').where('user_id', '=', userId))
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Counts the people among the members of a workspace who have no second factor. Skips ended memberships. */
export const countMembersWithoutFactor = async (db: Db, workspaceId: string): Promise<number> => {
  const row = await db
    .selectFrom('members')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('workspace_id', '=', workspaceId)
    .where('kind', '=', 'user')
    .where(e => e.or([e('ends_at', 'is', null), e('ends_at', '>', Date.now())]))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('authenticator_apps')
            .select('user_id')
            .whereRef('user_id', '=', 'members.subject')
            .unionAll(selectFrom('passkeys').select('user_id').whereRef('user_id', '=', 'members.subject')),
        ),
      ),
    )
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

export interface SecondFactors {
  app: AuthenticatorAppRow | undefined
  passkeys: PasskeyRow[]
  recoveryCodes: number
}

export const findSecondFactors = async (db: Db, userId: string): Promise<SecondFactors> => {
  const [app, passkeys, recoveryCodes] = await Promise.all([
    findAuthenticatorApp(db, userId),
    listPasskeys(db, userId),
    countRecoveryCodes(db, userId),
  ])
  return { app, passkeys, recoveryCodes }
}

/** Removes all factors and recovery codes. Returns false if there was no factor. */
export const removeSecondFactors = async (writer: Writer, userId: string): Promise<boolean> => {
  const hadFactor = await hasSecondFactor(writer.db, userId)
  for (const table of ['authenticator_apps', 'passkeys', 'recovery_codes'] as const)
    await writer.db.deleteFrom(table).where('user_id', '=', userId).execute()
  return hadFactor
}
