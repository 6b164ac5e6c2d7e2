/**
 * Counts recent failed sign-ins, and other rate-limited actions, for all nodes together. Keys name an account
 * or an address; only their hashes are stored.
 */
import { createHash } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import type { Db, Storage } from './db.ts'

/** How long attempts are kept that name no other time. */
const hourMs = 60 * 60 * 1000

const hashKey = (key: string): string => createHash('sha256').update(key).digest('base64url')

/** Counts failures of the last `windowMs`. */
export const countFailures = async (db: Db, key: string, windowMs: number): Promise<number> => {
  const { count } = await db
    .selectFrom('throttles')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('key_hash', '=', hashKey(key))
    .where('failed_at', '>', Date.now() - windowMs)
    .executeTakeFirstOrThrow()
  return count
}

export interface Limit {
  key: string
  /** Limit of the window. */
  failuresMax: number
}

/** How long until another attempt is below the limit, in milliseconds; 0: now. */
export const countdownMs = async (db: Db, { key, failuresMax }: Limit, windowMs: number): Promise<number> => {
  const now = Date.now()
  const blocking = await db
    .selectFrom('throttles')
    .select('failed_at')
    .where('key_hash', '=', hashKey(key))
    .where('failed_at', '>', now - windowMs)
    .orderBy('failed_at', 'desc')
    .offset(failuresMax - 1)
    .limit(1)
    .executeTakeFirst()
  return blocking ? Math.max(0, Number(blocking.failed_at) + windowMs - now) : 0
}

/** One attempt. It counts as a failure unless it is taken back. */
export interface Attempt {
  takeBack(): Promise<void>
}

/**
 * Counts an attempt before it is made, so that concurrent attempts, on any node, cannot exceed the limit.
 * Returns undefined if a limit is reached; then nothing is counted. `keptMs`: the longest window that anybody counts; default an hour.
 */
export const beginAttempt = async (
  storage: Pick<Storage, 'db' | 'kind'>,
  limits: readonly Limit[],
  windowMs: number,
  keptMs = hourMs,
): Promise<Attempt | undefined> => {
  const { db } = storage
  const isOver = async (pending: number) => {
    for (const { key, failuresMax } of limits)
      if ((await countFailures(db, key, windowMs)) + pending > failuresMax) return true
    return false
  }
  // Attempts over the limit write nothing.
  if (await isOver(1)) return undefined
  const undoCounts: (() => Promise<unknown>)[] = []
  const takeBack = async () => {
    for (const uncount of undoCounts) await uncount()
  }
  for (const { key } of limits) undoCounts.push(await addFailure(storage, key, keptMs))
  if (!(await isOver(0))) return { takeBack }
  await takeBack()
  return undefined
}

/** Adds a failure and returns a function that removes it. */
const addFailure = async ({ db, kind }: Pick<Storage, 'db' | 'kind'>, key: string, keptMs: number) => {
  const now = Date.now()
  const row = { key_hash: hashKey(key), failed_at: now, expires_at: now + keptMs }
  // Physical row location: the table has no key, and rows of one moment are alike.
  const place: RawBuilder<string | number> = kind === 'postgres' ? sql`ctid` : sql`rowid`
  const { at: rowLocation } = await db
    .insertInto('throttles')
    .values(row)
    .returning(place.as('at'))
    .executeTakeFirstOrThrow()
  return () =>
    db
      .deleteFrom('throttles')
      .where('key_hash', '=', row.key_hash)
      .where('failed_at', '=', row.failed_at)
      .where(place, '=', kind === 'postgres' ? sql<string>`cast(${rowLocation} as tid)` : rowLocation)
      .execute()
}

export const clearFailures = async (db: Db, key: string): Promise<void> => {
  await db.deleteFrom('throttles').where('key_hash', '=', hashKey(key)).execute()
}

/** Removes failures outside of every window. */
export const pruneThrottles = async (db: Db): Promise<void> => {
  await db
    .deleteFrom('throttles')
    .where(({ and, eb, or }) =>
      or([
        eb('expires_at', '<', Date.now()),
        and([eb('expires_at', 'is', null), eb('failed_at', '<', Date.now() - hourMs)]),
      ]),
    )
    .execute()
}
