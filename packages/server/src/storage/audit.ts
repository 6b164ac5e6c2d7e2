/** The audit log. */

import type { Selectable } from 'kysely'
import { containsEmail, containsText } from './contains-text.ts'
import type { Db, Writer } from './db.ts'
import type { Tables } from './tables.ts'

export type AuditRow = Selectable<Tables['audit']>

export interface AuditEntry {
  /** Undefined for changes to the whole server. */
  workspaceId?: string
  /** Id of a user or Client ID. */
  actor: string
  /** Id of the management operation. */
  action: string
  target: string
  /** Never a secret. */
  detail?: Record<string, unknown>
  /**
   * Issuer of the workspace's own OpenID provider that signed the actor in. Its administrators choose whom it speaks for, so the entry is
   * marked with `byProvider` and `issuer` in its details. Null: a provider that is not known any longer.
   */
  byProvider?: string | null | undefined
  address: string
  requestId: string
}

/**
 * Records the entry at the end of the transaction of the change, so that no change goes unrecorded. A reader
 * that has read up to an entry has missed none before it.
 */
export const recordAudit = async ({ runLast }: Writer, entry: AuditEntry): Promise<void> =>
  runLast(db =>
    db
      .insertInto('audit')
      .values({
        at: Date.now(),
        workspace_id: entry.workspaceId ?? null,
        actor: entry.actor,
        action: entry.action,
        target: entry.target,
        detail_json: JSON.stringify({ ...entry.detail, ...describeProvider(entry) }),
        address: entry.address,
        request_id: entry.requestId,
      })
      .execute(),
  )

const describeProvider = ({ byProvider }: Pick<AuditEntry, 'byProvider'>) =>
  byProvider === undefined ? {} : { byProvider: true, issuer: byProvider }

/** Returns what a person did and what was done to their address; newest first, at most `count`. */
export const listAuditAbout = (
  db: Db,
  { userId, email }: { userId: string; email: string },
  count: number,
): Promise<AuditRow[]> =>
  db
    .selectFrom('audit')
    .selectAll()
    .where(e => e.or([e('actor', '=', userId), e('target', '=', email)]))
    .orderBy('seq', 'desc')
    .limit(count)
    .execute()

/** Returns addresses of users and names of accounts and applications, by id. Removed ones are missing. */
export const findNames = async (db: Db, ids: readonly string[]): Promise<Map<string, string>> => {
  if (ids.length === 0) return new Map()
  const people = await db.selectFrom('users').select(['id', 'email as name']).where('id', 'in', ids).execute()
  const programs = await db.selectFrom('clients').select(['id', 'name']).where('id', 'in', ids).execute()
  return new Map([...programs, ...people].map(({ id, name }) => [id, name]))
}

export interface AuditQuery {
  /** Undefined: entries of the whole server. */
  workspaceId?: string
  action?: string
  /** Part of the actor's e-mail address or name, ignoring case; or the actor's id. */
  actor?: string
  /** Milliseconds since 1970, both inclusive. */
  from?: number
  to?: number
  /** Entries older than the one with this number. */
  before?: number
  count: number
}

/** Newest first. */
export const listAudit = (
  db: Db,
  { workspaceId, action, actor, from, to, before, count }: AuditQuery,
): Promise<AuditRow[]> => {
  let query = db.selectFrom('audit').selectAll()
  if (workspaceId !== undefined) query = query.where('workspace_id', '=', workspaceId)
  if (action !== undefined) query = query.where('action', '=', action)
  if (actor !== undefined) {
    const has = (column: 'email' | 'name') =>
      column === 'email' ? containsEmail(column, actor) : containsText(column, actor)
    const people = db
      .selectFrom('users')
      .select('id')
      .where(e => e.or([has('email'), has('name')]))
    const programs = db.selectFrom('clients').select('id').where(has('name'))
    query = query.where(e =>
      e.or([e('actor', '=', actor), e('actor', 'in', people), e('actor', 'in', programs)]),
    )
  }
  if (from !== undefined) query = query.where('at', '>=', from)
  if (to !== undefined) query = query.where('at', '<=', to)
  if (before !== undefined) query = query.where('seq', '<', before)
  return query.orderBy('seq', 'desc').limit(count).execute()
}
