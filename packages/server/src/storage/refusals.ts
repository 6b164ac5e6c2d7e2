/** Rejected requests and their reasons, kept for 24 hours. */
import type { Selectable } from 'kysely'
import { createRowReader, type Row } from './columns.ts'
import type { Db } from './db.ts'
import { refusalColumns } from './node-tables.ts'
import type { Tables } from './tables.ts'

export type RefusalRow = Row<typeof refusalColumns>

const parseRefusal = createRowReader(refusalColumns)

export const refusalRetentionMs = 24 * 60 * 60 * 1000

/** Writes up to 100 rows. */
export const saveRefusals = async (db: Db, rows: readonly RefusalRow[]): Promise<void> => {
  if (rows.length === 0) return
  await db
    .insertInto('refusals')
    .values(
      rows.map(row => ({
        request_id: row.requestId,
        at: row.at,
        status: row.status,
        workspace: row.workspace,
        path: row.path,
        subject: row.subject,
        client_id: row.clientId,
        checks_json: JSON.stringify(row.checks),
      })),
    )
    .onConflict(c => c.doNothing())
    .execute()
}

export const findRefusal = async (db: Db, requestId: string): Promise<RefusalRow | undefined> => {
  const row = await db
    .selectFrom('refusals')
    .selectAll()
    .where('request_id', '=', requestId)
    .executeTakeFirst()
  return row && row.at >= Date.now() - refusalRetentionMs ? parseRefusal(row) : undefined
}

/** Lists refusals in a workspace since it was created, at most 24 hours back; newest first, at most `count`. */
export const listWorkspaceRefusals = async (
  db: Db,
  { slug, created_at }: Pick<Selectable<Tables['workspaces']>, 'slug' | 'created_at'>,
  count: number,
): Promise<RefusalRow[]> => {
  const rows = await db
    .selectFrom('refusals')
    .selectAll()
    .where('workspace', '=', slug)
    // A deleted workspace may have had this name before.
    .where('at', '>=', Math.max(created_at, Date.now() - refusalRetentionMs))
    .orderBy('at', 'desc')
    .limit(count)
    .execute()
  return rows.map(parseRefusal)
}

/** Removes the refusals of a removed account. */
export const removeAccountRefusals = async (db: Db, subject: string): Promise<void> => {
  await db.deleteFrom('refusals').where('subject', '=', subject).execute()
}

/** Lists refusals of one account, newest first, at most 10,000. */
export const listAccountRefusals = (
  db: Db,
  subject: string,
): Promise<{ request_id: string; at: number; status: number; path: string }[]> =>
  db
    .selectFrom('refusals')
    .select(['request_id', 'at', 'status', 'path'])
    .where('subject', '=', subject)
    .where('at', '>', Date.now() - refusalRetentionMs)
    .orderBy('at', 'desc')
    .limit(10_000)
    .execute()

/** Removes up to 100 rows. */
export const removeRefusals = async (db: Db, requestIds: readonly string[]): Promise<void> => {
  await db.deleteFrom('refusals').where('request_id', 'in', requestIds).execute()
}

/** Removes rows older than 24 hours, and the oldest beyond `rowsMax`. */
export const pruneRefusals = async (db: Db, rowsMax: number): Promise<void> => {
  await db
    .deleteFrom('refusals')
    .where('at', '<', Date.now() - refusalRetentionMs)
    .execute()
  const oldest = await db
    .selectFrom('refusals')
    .select('at')
    .orderBy('at', 'desc')
    .offset(rowsMax)
    .limit(1)
    .executeTakeFirst()
  if (oldest) await db.deleteFrom('refusals').where('at', '<=', oldest.at).execute()
}
