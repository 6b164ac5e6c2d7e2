/** Where people are signed in. The OAuth library keeps each session as a record; its public name is the `uid`, never the cookie's value. */
import type { Selectable } from 'kysely'
import type { Db, Writer } from './db.ts'
import { endGrant, endTokensOf } from './grants.ts'
import type { Tables } from './tables.ts'

export interface SessionRow {
  id: string
  /** Milliseconds since 1970. */
  signedInAt: number
  expiresAt: number | null
  /** Client IDs of the applications that were signed in to. */
  clientIds: string[]
  grantIds: string[]
}

const listedMax = 1000

/** What the library stores of a session, as far as it is read here. */
interface SessionPayload {
  iat?: number
  loginTs?: number
  authorizations?: Record<string, { grantId?: string }>
}

// Written by the library's adapter alone.
const payloadOf = (row: Selectable<Tables['oidc_records']>) => JSON.parse(row.payload_json) as SessionPayload

const rowsOf = (db: Db, userId: string) =>
  db
    .selectFrom('oidc_records')
    .selectAll()
    .where('account_id', '=', userId)
    .where('model', '=', 'Session')
    .where(e => e.or([e('expires_at', 'is', null), e('expires_at', '>', Date.now())]))

/** Newest first, at most 1,000. */
export const listSessionsOf = async (db: Db, userId: string): Promise<SessionRow[]> => {
  const rows = await rowsOf(db, userId).limit(listedMax).execute()
  return rows
    .flatMap(row => {
      if (row.uid === null) return []
      const { iat = 0, loginTs = iat, authorizations = {} } = payloadOf(row)
      return {
        id: row.uid,
        signedInAt: loginTs * 1000,
        expiresAt: row.expires_at,
        clientIds: Object.keys(authorizations),
        grantIds: grantsOf(row),
      }
    })
    .toSorted((a, b) => b.signedInAt - a.signedInAt)
}

const grantsOf = (row: Selectable<Tables['oidc_records']>): string[] =>
  Object.values(payloadOf(row).authorizations ?? {}).flatMap(({ grantId }) => grantId ?? [])

/** The session, and every grant that was used in it but `spared`: its access tokens are refused from the next request on. */
const end = async (
  writer: Writer,
  row: Selectable<Tables['oidc_records']>,
  spared: readonly string[] = [],
): Promise<void> => {
  for (const grantId of grantsOf(row)) if (!spared.includes(grantId)) await endGrant(writer, grantId)
  await writer.db
    .deleteFrom('oidc_records')
    .where('model', '=', 'Session')
    .where('id_hash', '=', row.id_hash)
    .execute()
}

/** Returns false when the person has no such session. */
export const endSession = async (writer: Writer, userId: string, sessionId: string): Promise<boolean> => {
  const row = await rowsOf(writer.db, userId).where('uid', '=', sessionId).executeTakeFirst()
  if (row) await end(writer, row)
  return row !== undefined
}

/** Signs the person out everywhere but in the session `except`, whose grants stay. Returns how many sessions ended. */
export const endSessionsOf = async (writer: Writer, userId: string, except?: string): Promise<number> => {
  const rows = await rowsOf(writer.db, userId).execute()
  const kept = except === undefined ? undefined : rows.find(({ uid }) => uid === except)
  const ending = rows.filter(row => row !== kept)
  for (const row of ending) await end(writer, row, kept && grantsOf(kept))
  return ending.length
}

/**
 * Signs the person out everywhere, and ends all tokens that applications got; but the session that `keptGrantId` came from stays, with
 * that grant and the others used in it. What the person agreed to stays agreed to.
 */
export const signOut = async (writer: Writer, userId: string, keptGrantId?: string): Promise<void> => {
  const sessions = keptGrantId === undefined ? [] : await listSessionsOf(writer.db, userId)
  const kept = sessions.find(({ grantIds }) => keptGrantId !== undefined && grantIds.includes(keptGrantId))
  const spared = new Set([...(kept?.grantIds ?? []), ...(keptGrantId === undefined ? [] : [keptGrantId])])
  await endSessionsOf(writer, userId, kept?.id)
  await endTokensOf(writer, userId, spared)
}
