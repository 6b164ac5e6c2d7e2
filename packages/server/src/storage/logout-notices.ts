/**
 * Notices for applications whose sessions ended (OpenID Connect Back-Channel Logout 1.0). They are written with the end of the session, so that
 * none is lost, and sent afterwards (oauth/sessions/logout-delivery.ts).
 */
import { randomUUID } from 'node:crypto'
import { findClient } from './clients.ts'
import type { Db, Storage, Writer } from './db.ts'

/** Entries of a session's record about its applications, by Client ID. */
export type Authorizations = Readonly<Record<string, { sid?: string | undefined }>>

export interface LogoutNotice {
  id: string
  clientId: string
  userId: string
  sid: string
  /** How often it was sent, this time included. */
  attempts: number
}

/** Adds a notice for each application of the session that asked for them. */
export const addLogoutNotices = async (
  { db }: Pick<Writer, 'db'>,
  userId: string,
  authorizations: Authorizations = {},
): Promise<void> => {
  for (const [clientId, { sid }] of Object.entries(authorizations)) {
    if (sid === undefined) continue
    const client = await findClient(db, clientId)
    if (client?.kind !== 'application' || client.settings.backchannelLogoutUri === undefined) continue
    await db
      .insertInto('logout_notices')
      .values({
        id: randomUUID(),
        client_id: clientId,
        user_id: userId,
        sid,
        attempts: 0,
        due_at: Date.now(),
      })
      .execute()
  }
}

const claimedAtOnce = 20

/**
 * Claims notices that are due: nobody else sends them within `leaseMs`. A notice that is neither removed nor delayed until then is due
 * again.
 */
export const claimLogoutNotices = async (
  { write }: Pick<Storage, 'write'>,
  leaseMs: number,
): Promise<LogoutNotice[]> =>
  write(async ({ db }) => {
    const now = Date.now()
    const due = await db
      .selectFrom('logout_notices')
      .selectAll()
      .where('due_at', '<=', now)
      .orderBy('due_at')
      .limit(claimedAtOnce)
      .execute()
    const claimed: LogoutNotice[] = []
    for (const { id, client_id: clientId, user_id: userId, sid, attempts, due_at: dueAt } of due) {
      const { numUpdatedRows } = await db
        .updateTable('logout_notices')
        .set({ due_at: now + leaseMs, attempts: attempts + 1 })
        .where('id', '=', id)
        .where('due_at', '=', dueAt)
        .executeTakeFirst()
      if (numUpdatedRows > 0n) claimed.push({ id, clientId, userId, sid, attempts: attempts + 1 })
    }
    return claimed
  })

export const removeLogoutNotice = async (db: Db, id: string): Promise<void> => {
  await db.deleteFrom('logout_notices').where('id', '=', id).execute()
}

/** Makes the notice due again after `delayMs`. */
export const delayLogoutNotice = async (db: Db, id: string, delayMs: number): Promise<void> => {
  await db
    .updateTable('logout_notices')
    .set({ due_at: Date.now() + delayMs })
    .where('id', '=', id)
    .execute()
}
