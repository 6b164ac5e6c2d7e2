/**
 * Sign-in sessions. The OAuth library stores each session as a record; its public name is the `uid`, never
 * the cookie's value.
 */
import type { Selectable } from 'kysely'
import { consoleClientId } from './clients.ts'
import type { Db, Writer } from './db.ts'
import { endGrant, endUserTokens, readGrantScopes } from './grants.ts'
import { type Authorizations, addLogoutNotices } from './logout-notices.ts'
import { removeProviderToken } from './provider-tokens.ts'
import type { Tables } from './tables.ts'

/** Device and address of a sign-in. */
export interface SessionOpening {
  /** `Firefox 145`; null: unknown. */
  browser: string | null
  /** `Linux`; null: unknown. */
  system: string | null
  /** IP address. */
  address: string
}

export interface SessionRow {
  id: string
  /** Milliseconds since 1970. */
  signedInAt: number
  /** When an application last received a code, or tokens for its refresh token. */
  lastUsedAt: number
  /** Undefined: signed in with a version that did not record it. */
  opened: SessionOpening | undefined
  expiresAt: number | null
  /** Client IDs of the applications that used the session. */
  clientIds: string[]
  grantIds: string[]
}

const listedMax = 1000

/** Stored fields of a session that are read here. */
interface SessionPayload {
  iat?: number
  loginTs?: number
  authorizations?: Authorizations
  /**
   * Added to the library's record by oauth/provider/oidc-provider-internals.ts and oauth/provider/adapter.ts;
   * seconds since 1970.
   */
  opened?: SessionOpening
  usedAt?: number
  providerSignIn?: { tokenId?: string }
}

// Written only by the library's adapter.
const parsePayload = (row: Selectable<Tables['oidc_records']>) =>
  JSON.parse(row.payload_json) as SessionPayload

const selectSessions = (db: Db, userId: string) =>
  db
    .selectFrom('oidc_records')
    .selectAll()
    .where('account_id', '=', userId)
    .where('model', '=', 'Session')
    .where(e => e.or([e('expires_at', 'is', null), e('expires_at', '>', Date.now())]))

/** Lists sessions, newest first, at most 1,000. */
export const listUserSessions = async (db: Db, userId: string): Promise<SessionRow[]> => {
  const rows = await selectSessions(db, userId).limit(listedMax).execute()
  const grants = await db
    .selectFrom('oidc_records')
    .select(['grant_id', 'uid'])
    .where('account_id', '=', userId)
    .where('model', '=', 'Grant')
    .execute()
  const refreshed = await refreshTimes(db, userId)
  return rows
    .flatMap(row => {
      if (row.uid === null) return []
      const { iat = 0, loginTs = iat, usedAt = loginTs, opened, authorizations = {} } = parsePayload(row)
      const grantIds = grants.flatMap(({ grant_id, uid }) => (uid === row.uid ? (grant_id ?? []) : []))
      return {
        id: row.uid,
        signedInAt: loginTs * 1000,
        lastUsedAt: Math.max(usedAt, ...grantIds.map(grantId => refreshed.get(grantId) ?? 0)) * 1000,
        opened,
        expiresAt: row.expires_at,
        clientIds: Object.keys(authorizations),
        grantIds,
      }
    })
    .toSorted((a, b) => b.signedInAt - a.signedInAt)
}

/**
 * Returns when the person signed in to the session of this grant, and when the grant was made, in milliseconds since 1970. Undefined if the
 * session has ended.
 */
export const findSignInOfGrant = async (
  db: Db,
  userId: string,
  grantId: string,
): Promise<{ signedInAt: number; grantedAt: number } | undefined> => {
  const grant = await db
    .selectFrom('oidc_records')
    .selectAll()
    .where('account_id', '=', userId)
    .where('model', '=', 'Grant')
    .where('grant_id', '=', grantId)
    .executeTakeFirst()
  if (!grant || grant.uid === null) return undefined
  const session = await selectSessions(db, userId).where('uid', '=', grant.uid).executeTakeFirst()
  if (!session) return undefined
  const { iat = 0, loginTs = iat } = parsePayload(session)
  return { signedInAt: loginTs * 1000, grantedAt: (parsePayload(grant).iat ?? 0) * 1000 }
}

/** Returns when each grant last gave a refresh token, in seconds since 1970. Replaced ones are older. */
const refreshTimes = async (db: Db, userId: string): Promise<ReadonlyMap<string, number>> => {
  const rows = await db
    .selectFrom('oidc_records')
    .selectAll()
    .where('account_id', '=', userId)
    .where('model', '=', 'RefreshToken')
    .where('consumed_at', 'is', null)
    .execute()
  const times = new Map<string, number>()
  for (const row of rows) {
    const { iat = 0 } = parsePayload(row)
    const grantId = row.grant_id ?? ''
    times.set(grantId, Math.max(iat, times.get(grantId) ?? 0))
  }
  return times
}

/**
 * Ends the grants of a session, by its public name: access tokens are rejected from the next request on.
 * `offlineToo`: also grants with `offline_access`. Grants of the console always end, because its tabs stay
 * signed in only as long as the session.
 */
export const endSessionGrants = async (
  writer: Writer,
  sessionId: string,
  { offlineToo }: { offlineToo: boolean },
): Promise<void> => {
  const rows = await writer.db
    .selectFrom('oidc_records')
    .selectAll()
    .where('uid', '=', sessionId)
    .where('model', '=', 'Grant')
    .execute()
  for (const row of rows)
    if (row.grant_id !== null && (offlineToo || !outlivesSession(row))) await endGrant(writer, row.grant_id)
}

const outlivesSession = (row: Selectable<Tables['oidc_records']>): boolean =>
  row.client_id !== consoleClientId && readGrantScopes(row).includes('offline_access')

/** Ends the session and every grant made in it. */
const endSessionRow = async (writer: Writer, row: Selectable<Tables['oidc_records']>): Promise<void> => {
  const { uid, id_hash, account_id } = row
  const { authorizations, providerSignIn } = parsePayload(row)
  if (account_id !== null) await addLogoutNotices(writer, account_id, authorizations)
  if (providerSignIn?.tokenId !== undefined) await removeProviderToken(writer.db, providerSignIn.tokenId)
  if (uid !== null) await endSessionGrants(writer, uid, { offlineToo: true })
  await writer.db
    .deleteFrom('oidc_records')
    .where('model', '=', 'Session')
    .where('id_hash', '=', id_hash)
    .execute()
}

/** Returns false if the person has no such session. */
export const endSession = async (writer: Writer, userId: string, sessionId: string): Promise<boolean> => {
  const row = await selectSessions(writer.db, userId).where('uid', '=', sessionId).executeTakeFirst()
  if (row) await endSessionRow(writer, row)
  return row !== undefined
}

/** Ends all sessions of the person except `except`, whose grants stay. Returns how many ended. */
export const endUserSessions = async (writer: Writer, userId: string, except?: string): Promise<number> => {
  const rows = await selectSessions(writer.db, userId).execute()
  const ending = rows.filter(({ uid }) => except === undefined || uid !== except)
  for (const row of ending) await endSessionRow(writer, row)
  return ending.length
}

/**
 * Signs the person out everywhere and ends all tokens. `kept`: this session stays, or the one of this grant, with all its grants. Consents
 * stay.
 */
export const signOut = async (
  writer: Writer,
  userId: string,
  kept: { grantId?: string | undefined; sessionId?: string } = {},
): Promise<void> => {
  const { grantId, sessionId } = kept
  const isKept = (session: SessionRow) =>
    session.id === sessionId || (grantId !== undefined && session.grantIds.includes(grantId))
  const isAny = grantId !== undefined || sessionId !== undefined
  const keptSession = isAny ? (await listUserSessions(writer.db, userId)).find(isKept) : undefined
  const spared = new Set([...(keptSession?.grantIds ?? []), ...(grantId === undefined ? [] : [grantId])])
  await endUserSessions(writer, userId, keptSession?.id)
  await endUserTokens(writer, userId, spared)
}
