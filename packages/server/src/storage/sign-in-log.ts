/**
 * The sign-in log. Its bounds keep the entries that a flood would push out: successes and failures count apart, a person's successes and a
 * network's failures have a share of their workspace, and a workspace has a share of the whole.
 */

import { randomBytes } from 'node:crypto'
import { type Selectable, type SelectQueryBuilder, sql } from 'kysely'
import { containsEmail, containsText } from './contains-text.ts'
import type { Db } from './db.ts'
import type { Tables } from './tables.ts'

export type SignInRow = Selectable<Tables['sign_ins']>

export interface SignInBounds {
  /** Successes of a person, or failures of a network, in one workspace. */
  perSource: number
  /** Failures of one person, from anywhere. */
  failuresPerUser: number
  /** Successes of a workspace; as many failures. */
  perWorkspace: number
  total: number
}

export const signInBounds: SignInBounds = {
  perSource: 1000,
  failuresPerUser: 500,
  perWorkspace: 20_000,
  total: 200_000,
}

/** Counts ids, so that those of one millisecond keep their order. */
let sequence = 0

/** Returns an id that sorts by time. */
export const newSignInId = (at: number): string => {
  sequence = (sequence + 1) % 36 ** 4
  const [time, order] = [at.toString(36).padStart(9, '0'), sequence.toString(36).padStart(4, '0')]
  return `${time}${order}${randomBytes(9).toString('hex')}`
}

/** Writes up to 100 rows. */
export const saveSignIns = async (db: Db, rows: readonly SignInRow[]): Promise<void> => {
  if (rows.length > 0)
    await db
      .insertInto('sign_ins')
      .values([...rows])
      .execute()
}

type Share = Pick<SignInRow, 'workspace_id' | 'failed' | 'source'>

/** Removes the oldest entries of a source beyond its bound. */
export const trimSource = async (
  db: Db,
  { workspace_id, failed, source }: Share,
  { perSource }: SignInBounds,
): Promise<void> =>
  trimOldest(
    db,
    db
      .selectFrom('sign_ins')
      .where('workspace_id', '=', workspace_id)
      .where('failed', '=', failed)
      .where('source', '=', source),
    perSource,
  )

/** Removes the oldest failures of a person beyond the bound. */
export const trimFailures = async (
  db: Db,
  userId: string,
  { failuresPerUser }: SignInBounds,
): Promise<void> =>
  trimOldest(
    db,
    db.selectFrom('sign_ins').where('user_id', '=', userId).where('failed', '=', 1),
    failuresPerUser,
  )

const trimOldest = async (
  db: Db,
  rows: SelectQueryBuilder<Tables, 'sign_ins', object>,
  countMax: number,
): Promise<void> => {
  const excess = rows.select('id').orderBy('id', 'desc').offset(countMax).limit(rowsAtOnce)
  for (;;) {
    const ids = (await excess.execute()).map(({ id }) => id)
    if (ids.length > 0) await db.deleteFrom('sign_ins').where('id', 'in', ids).execute()
    if (ids.length < rowsAtOnce) return
  }
}
const rowsAtOnce = 1000

/**
 * Removes entries of a workspace beyond its bound, and a tenth more, so that this runs rarely. The source with the most entries loses its
 * oldest first.
 */
export const trimWorkspace = (
  db: Db,
  { workspace_id, failed }: Pick<SignInRow, 'workspace_id' | 'failed'>,
  { perWorkspace }: SignInBounds,
): Promise<void> =>
  trimLargest(
    db,
    db.selectFrom('sign_ins').where('workspace_id', '=', workspace_id).where('failed', '=', failed),
    'source',
    perWorkspace,
  )

/** Removes entries beyond the bound of all workspaces. The workspace with the most entries loses its oldest first. */
export const trimTotal = (db: Db, { total }: SignInBounds): Promise<void> =>
  trimLargest(db, db.selectFrom('sign_ins'), 'workspace_id', total)

const trimLargest = async (
  db: Db,
  rows: SelectQueryBuilder<Tables, 'sign_ins', object>,
  share: 'source' | 'workspace_id',
  countMax: number,
): Promise<void> => {
  const { count } = await rows.select(({ fn }) => fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
  if (Number(count) <= countMax) return
  const ranked = rows.select([
    'id',
    sql<number>`row_number() over (partition by ${sql.ref(share)} order by id desc)`.as('place'),
  ])
  const removed = db
    .selectFrom(ranked.as('ranked'))
    .select('ranked.id')
    .orderBy('ranked.place', 'desc')
    .orderBy('ranked.id')
    .limit(Number(count) - Math.floor(countMax * 0.9))
  await db.deleteFrom('sign_ins').where('id', 'in', removed).execute()
}

/** Removes entries from before `before`, in milliseconds since 1970. */
export const pruneSignIns = async (db: Db, before: number): Promise<void> => {
  await db.deleteFrom('sign_ins').where('at', '<', before).execute()
}

export const removeSignInsOfUser = async (db: Db, userId: string): Promise<void> => {
  await db.deleteFrom('sign_ins').where('user_id', '=', userId).execute()
}

export const removeSignInsOfWorkspace = async (db: Db, workspaceId: string): Promise<void> => {
  await db.deleteFrom('sign_ins').where('workspace_id', '=', workspaceId).execute()
}

/**
 * Entries of a person, all entries, or those of a workspace: of its applications, and of its members in the server's own applications since
 * they joined.
 */
export type SignInScope = { workspaceId: string } | { userId: string } | 'all'

export interface SignInQuery {
  scope: SignInScope
  failed?: boolean
  kind?: SignInRow['kind']
  /** Part of the e-mail address or name, ignoring case; or an id. */
  user?: string
  clientId?: string
  /** IP address, or its beginning. */
  address?: string
  /** Milliseconds since 1970, both inclusive. */
  from?: number
  to?: number
  /** Entries older than the one with this id. */
  before?: string
  count: number
}

const selectScope = (db: Db, scope: SignInScope) => {
  const rows = db.selectFrom('sign_ins')
  if (scope === 'all') return rows
  if ('userId' in scope) return rows.where('user_id', '=', scope.userId)
  const { workspaceId } = scope
  return rows.where(e =>
    e.or([
      e('sign_ins.workspace_id', '=', workspaceId),
      e.and([
        e('sign_ins.workspace_id', '=', ''),
        e.exists(
          e
            .selectFrom('members')
            .select('members.subject')
            .where('members.workspace_id', '=', workspaceId)
            .whereRef('members.subject', '=', 'sign_ins.user_id')
            .whereRef('members.created_at', '<=', 'sign_ins.at'),
        ),
      ]),
    ]),
  )
}

/** Newest first. */
export const listSignIns = (db: Db, search: SignInQuery): Promise<SignInRow[]> => {
  const { failed, kind, user, clientId, address, from, to, before, count } = search
  let query = selectScope(db, search.scope).selectAll('sign_ins')
  if (failed !== undefined) query = query.where('failed', '=', failed ? 1 : 0)
  if (kind !== undefined) query = query.where('kind', '=', kind)
  if (clientId !== undefined) query = query.where('client_id', '=', clientId)
  if (address !== undefined) query = query.where('address', 'like', `${address}%`)
  if (from !== undefined) query = query.where('at', '>=', from)
  if (to !== undefined) query = query.where('at', '<=', to)
  if (before !== undefined) query = query.where('id', '<', before)
  if (user !== undefined) {
    const has = (column: 'email' | 'name') =>
      column === 'email' ? containsEmail(column, user) : containsText(column, user)
    const people = db
      .selectFrom('users')
      .select('id')
      .where(e => e.or([has('email'), has('name')]))
    query = query.where(e => e.or([e('user_id', '=', user), e('user_id', 'in', people)]))
  }
  return query.orderBy('id', 'desc').limit(count).execute()
}

export interface SignInCount {
  /** Days since 1970, UTC. */
  day: number
  succeeded: number
  failed: number
}

const dayMs = 24 * 60 * 60 * 1000

/** Counts completed sign-ins and failures by day, since `from` (milliseconds since 1970). Days without any are missing. */
export const countSignIns = async (db: Db, scope: SignInScope, from: number): Promise<SignInCount[]> => {
  const day = sql<number>`cast(at / ${sql.lit(dayMs)} as integer)`
  const rows = await selectScope(db, scope)
    .where('at', '>=', from)
    // The second factor follows.
    .where('result', '<>', 'second-factor-needed')
    // Notes about a sign-in.
    .where('result', 'not like', 'claim-%')
    .select(({ fn }) => [day.as('day'), 'failed', fn.countAll<number>().as('count')])
    .groupBy([day, 'failed'])
    .execute()
  const counts = new Map<number, SignInCount>()
  for (const row of rows) {
    const count = counts.get(Number(row.day)) ?? { day: Number(row.day), succeeded: 0, failed: 0 }
    count[row.failed === 1 ? 'failed' : 'succeeded'] += Number(row.count)
    counts.set(count.day, count)
  }
  return [...counts.values()]
}

/**
 * Whether a notice of this kind is due to the person; then it counts as sent now, for all nodes. A person gets one in `everyMs` at most.
 */
export const claimSecurityNotice = async (
  db: Db,
  { userId, kind, everyMs }: { userId: string; kind: string; everyMs: number },
): Promise<boolean> => {
  const now = Date.now()
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('security_notices')
    .values({ user_id: userId, kind, sent_at: now })
    .onConflict(c =>
      c
        .columns(['user_id', 'kind'])
        .doUpdateSet({ sent_at: now })
        .where('security_notices.sent_at', '<=', now - everyMs),
    )
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows > 0n
}
