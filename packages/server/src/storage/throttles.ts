/** Failed sign-ins of late, counted for all nodes together. Keys name an account or an address; only their hashes are stored. */
import { createHash } from 'node:crypto'
import type { Db } from './db.ts'

/** The longest window that can be asked for. */
export const throttleWindowMsMax = 60 * 60 * 1000

const hashKey = (key: string): string => createHash('sha256').update(key).digest('base64url')

/** Failures of the last `windowMs`. */
export const failuresOf = async (db: Db, key: string, windowMs: number): Promise<number> => {
  const { count } = await db
    .selectFrom('throttles')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('key_hash', '=', hashKey(key))
    .where('failed_at', '>', Date.now() - windowMs)
    .executeTakeFirstOrThrow()
  return count
}

/** Adds one; returns how many there are in the last `windowMs`, with it. */
export const countFailure = async (db: Db, key: string, windowMs: number): Promise<number> => {
  await db
    .insertInto('throttles')
    .values({ key_hash: hashKey(key), failed_at: Date.now() })
    .execute()
  return failuresOf(db, key, windowMs)
}

export const clearFailures = async (db: Db, key: string): Promise<void> => {
  await db.deleteFrom('throttles').where('key_hash', '=', hashKey(key)).execute()
}

/** Forgets what no window reaches any more. */
export const pruneThrottles = async (db: Db): Promise<void> => {
  await db
    .deleteFrom('throttles')
    .where('failed_at', '<', Date.now() - throttleWindowMsMax)
    .execute()
}
