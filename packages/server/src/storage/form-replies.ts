/** Replies to forms that a browser may send again within some seconds (oauth/interactions/repeated-forms.ts). */
import { setImmediate } from 'node:timers/promises'
import type { Db } from './db.ts'

/** A submitted form: keyed hashes of the form with its values, of the browser, and of the page. */
export interface FormKey {
  id: string
  browser: string
  page: string
}

/**
 * Claims the work of a form. One of several concurrent calls on all nodes succeeds, and then all fail until `expiresAt`. Returns false if
 * the form is claimed or has a reply.
 */
export const claimForm = async (
  db: Db,
  { id, browser, page, claim, expiresAt }: FormKey & { claim: string; expiresAt: number },
): Promise<boolean> => {
  const row = { browser, page, claim, sealed: null, expires_at: expiresAt }
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('form_replies')
    .values({ id, ...row })
    .onConflict(c => c.column('id').doUpdateSet(row).where('form_replies.expires_at', '<=', Date.now()))
    .executeTakeFirst()
  return (numInsertedOrUpdatedRows ?? 0n) > 0n
}

/** Stores the reply of the claimed form. */
export const saveFormReply = async (
  db: Db,
  { id, claim, sealed, expiresAt }: { id: string; claim: string; sealed: string; expiresAt: number },
): Promise<void> => {
  await db
    .updateTable('form_replies')
    .set({ sealed, expires_at: expiresAt })
    .where('id', '=', id)
    .where('claim', '=', claim)
    .execute()
}

/** Gives the claim back, so that the form works again. */
export const releaseForm = async (db: Db, id: string, claim: string): Promise<void> => {
  await db.deleteFrom('form_replies').where('id', '=', id).where('claim', '=', claim).execute()
}

/** Returns the sealed reply; `pending` while another request works on the form. Undefined if there is neither. */
export const findFormReply = async (
  db: Db,
  id: string,
): Promise<{ sealed: string } | 'pending' | undefined> => {
  const row = await db
    .selectFrom('form_replies')
    .select('sealed')
    .where('id', '=', id)
    .where('expires_at', '>', Date.now())
    .executeTakeFirst()
  if (!row) return undefined
  return row.sealed === null ? 'pending' : { sealed: row.sealed }
}

export const removeFormReply = async (db: Db, id: string): Promise<void> => {
  await db.deleteFrom('form_replies').where('id', '=', id).execute()
}

/** Removes the replies of a browser. Forms whose work is under way keep their claim. */
export const removeFormReplies = async (db: Db, browser: string): Promise<void> => {
  await db.deleteFrom('form_replies').where('browser', '=', browser).where('sealed', 'is not', null).execute()
}

/** Removes the replies to other forms of a page, because the browser sent a new one. */
export const removeOtherReplies = async (db: Db, { id, browser, page }: FormKey): Promise<void> => {
  await db
    .deleteFrom('form_replies')
    .where('browser', '=', browser)
    .where('page', '=', page)
    .where('id', '!=', id)
    .where('sealed', 'is not', null)
    .execute()
}

/** Rows per statement: SQLite blocks the thread while deleting. */
const pruneBatchSize = 200

/** Removes expired rows in batches, between which other requests run. */
export const pruneFormReplies = async (db: Db): Promise<void> => {
  for (let pruned = pruneBatchSize; pruned === pruneBatchSize; ) {
    const { numDeletedRows } = await db
      .deleteFrom('form_replies')
      .where('id', 'in', ({ selectFrom }) =>
        selectFrom('form_replies').select('id').where('expires_at', '<', Date.now()).limit(pruneBatchSize),
      )
      .executeTakeFirst()
    pruned = Number(numDeletedRows)
    await setImmediate()
  }
}
