/**
 * Mails that the mail server has not accepted yet (accounts/mail-queue.ts). A mail is stored before it is sent, so that neither a failure nor the end of
 * the process loses it. Any node may send it.
 */
import { sql } from 'kysely'
import type { Db, Storage } from './db.ts'

export interface StoredMail {
  id: string
  /** Encrypted: recipient, subject and text. */
  sealed: string
  /** How often it was tried, this time included. */
  attempts: number
  /** Milliseconds since 1970. */
  expiresAt: number
}

export interface MailBacklog {
  waiting: number
  /** When the oldest one was written; undefined: none waits. */
  oldestAt: number | undefined
  /** Why the last attempt of a waiting mail failed, without addresses. */
  lastFailure: string | undefined
}

export const noBacklog: MailBacklog = { waiting: 0, oldestAt: undefined, lastFailure: undefined }

/** Stores a mail. Nobody else sends it before `dueAt`. Returns false and stores nothing if `waitingMax` mails wait. */
export const addMail = async (
  { db }: Pick<Storage, 'db'>,
  { id, sealed, dueAt, expiresAt }: { id: string; sealed: string; dueAt: number; expiresAt: number },
  waitingMax: number,
): Promise<boolean> => {
  const { count } = await db
    .selectFrom('mails')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  if (Number(count) >= waitingMax) return false
  await db
    .insertInto('mails')
    .values({
      id,
      sealed,
      attempts: 0,
      last_failure: null,
      created_at: Date.now(),
      due_at: dueAt,
      expires_at: expiresAt,
    })
    .execute()
  return true
}

/** Claims up to `count` mails that are due, the longest due first: no other node sends them within `leaseMs`. Those that are not removed until then are due again. */
export const claimMails = async (
  { write }: Pick<Storage, 'write'>,
  { count, leaseMs }: { count: number; leaseMs: number },
): Promise<StoredMail[]> =>
  write(async ({ db }) => {
    const now = Date.now()
    const due = await db
      .selectFrom('mails')
      .select(['id', 'sealed', 'attempts', 'due_at', 'expires_at'])
      .where('due_at', '<=', now)
      .orderBy('due_at')
      .orderBy('id')
      .limit(count)
      .execute()
    const claimed: StoredMail[] = []
    for (const { id, sealed, attempts, due_at: dueAt, expires_at: expiresAt } of due) {
      const { numUpdatedRows } = await db
        .updateTable('mails')
        .set({ due_at: now + leaseMs, attempts: attempts + 1 })
        .where('id', '=', id)
        .where('due_at', '=', dueAt)
        .executeTakeFirst()
      if (numUpdatedRows > 0n) claimed.push({ id, sealed, attempts: attempts + 1, expiresAt })
    }
    return claimed
  })

/** Renews the leases of claimed mails: no other node sends them within `leaseMs` from now. */
export const renewMails = async (db: Db, ids: readonly string[], leaseMs: number): Promise<void> => {
  await db
    .updateTable('mails')
    .set({ due_at: Date.now() + leaseMs })
    .where('id', 'in', ids)
    .execute()
}

export const removeMail = async (db: Db, id: string): Promise<void> => {
  await db.deleteFrom('mails').where('id', '=', id).execute()
}

/** Makes the mail due again after `delayMs`. */
export const delayMail = async (
  db: Db,
  id: string,
  { attempts, delayMs, failure }: { attempts: number; delayMs: number; failure: string },
): Promise<void> => {
  await db
    .updateTable('mails')
    .set({ due_at: Date.now() + delayMs, attempts, last_failure: failure })
    .where('id', '=', id)
    .execute()
}

/** Reads how many mails of all nodes wait after a failure, and since when. */
export const readMailBacklog = async (db: Db): Promise<MailBacklog> => {
  const { waiting, oldest } = await db
    .selectFrom('mails')
    .select(({ fn }) => [
      fn.countAll<number>().as('waiting'),
      fn.min<number | null>('created_at').as('oldest'),
    ])
    .where('attempts', '>', 0)
    .executeTakeFirstOrThrow()
  if (Number(waiting) === 0) return noBacklog
  const last = await db
    .selectFrom('mails')
    .select('last_failure')
    .where('last_failure', 'is not', null)
    .orderBy(sql`due_at desc`)
    .limit(1)
    .executeTakeFirst()
  return {
    waiting: Number(waiting),
    oldestAt: oldest === null ? undefined : Number(oldest),
    lastFailure: last?.last_failure ?? undefined,
  }
}

const dayMs = 24 * 60 * 60 * 1000

/** Removes mails whose end is a day ago. A server without a mail server sends none and gives none up. */
export const pruneMails = async (db: Db): Promise<void> => {
  await db
    .deleteFrom('mails')
    .where('expires_at', '<', Date.now() - dayMs)
    .execute()
}
