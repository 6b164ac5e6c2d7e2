/**
 * Locks between the nodes on one PostgreSQL: session-level advisory locks, which end with the connection, so
 * that a dead node holds none (https://www.postgresql.org/docs/current/explicit-locking.html#ADVISORY-LOCKS).
 * PostgreSQL grants them in order. A proxy in between must not multiplex sessions.
 */
import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import type pg from 'pg'
import { connectionLost, createSessionPool, openSession, type Session } from './lock-session.ts'
import type { Db } from './tables.ts'

export type LockMode = 'shared' | 'exclusive'

/** A lock held by this process. */
export interface Lock {
  /** Whether another process waits for it. Throws 503 if the lock was lost. */
  isWanted(): Promise<boolean>
  /** Call it in a transaction that must not commit without the lock. Throws 503 if it was lost. */
  assertHeld(db: Db): Promise<void>
  /** Throws 503 if the lock was lost before. */
  release(): Promise<void>
}

/** Locks exclude other processes only. Within a process, callers must not take the same key twice. */
export interface Locks {
  /** Waits while other processes hold a conflicting lock. Throws 503 if the storage is unreachable. */
  take(key: string, mode: LockMode): Promise<Lock>
  /** Returns undefined if another process holds it or waits for it. */
  tryTake(key: string, mode: LockMode): Promise<Lock | undefined>
  /**
   * Holds the lock until `close`, and retakes it after a lost connection. Returns false if another process
   * holds it. Calls `onLost` if another process took it meanwhile and keeps it; until it is retaken, no lock
   * can be taken.
   */
  keep(key: string, mode: LockMode, onLost: () => void): Promise<boolean>
  /** Releases the locks. If the storage does not answer, it releases them when it notices the end of the connections. */
  close(): Promise<void>
}

/**
 * Connections for waiting, one each, because a waiting session can do nothing else. Locks taken without
 * waiting share one.
 */
const waitingMax = 8
const retryMs = 100
const reconnectMs = 1000
/** How long `close` waits for a storage that does not answer. */
const unlockMs = 1000
/** Time limits. */
const limits = {
  /**
   * For queries that wait for no other process. A failed one is repeated on a new connection, so 10 s in all.
   */
  answerMs: 5_000,
  /**
   * For a kept lock that another process took. Longer than a disconnected session of ours can still hold it.
   */
  lostMs: 30_000,
}

/**
 * Condition for the rows of pg_locks with a given key
 * (https://www.postgresql.org/docs/current/view-pg-locks.html).
 */
const lockCondition = `locktype = 'advisory' and objsubid = 1
  and database = (select oid from pg_database where datname = current_database())
  and (classid::bigint << 32 | objid::bigint) = `

const functionSuffixes = { shared: '_shared', exclusive: '' } satisfies Record<LockMode, string>

const makeLock = (
  session: Session,
  number: string,
  mode: LockMode,
  onRelease = (_isLost: boolean) => {},
) => ({
  isWanted: async () =>
    (await session.ask(
      `select exists (select from pg_locks where ${lockCondition} $1::bigint and not granted) as value`,
      number,
    )) === true,
  async assertHeld(db: Db) {
    const { rows } = await sql`select 1 from pg_locks
      where ${sql.raw(lockCondition)} ${number}::bigint and granted and pid = ${session.pid}`.execute(db)
    if (rows.length === 0) throw connectionLost()
  },
  async release() {
    let isLost = true
    try {
      isLost =
        (await session.ask(`select pg_advisory_unlock${functionSuffixes[mode]}($1) as value`, number)) !==
        true
    } finally {
      onRelease(isLost)
    }
    if (isLost) throw connectionLost()
  },
})

/** `space` is a namespace of keys within the database. */
export const openLocks = (connection: pg.PoolConfig, space: string, { answerMs, lostMs } = limits): Locks => {
  const pool = createSessionPool(connection, waitingMax + 1, answerMs)
  const hashKey = (key: string) =>
    createHash('sha256').update(`${space} ${key}`).digest().readBigInt64BE().toString()

  const keptLocks = new Map<string, { mode: LockMode; onLost(): void }>()
  let heldByOthersSince: number | undefined
  const retakeKeptLocks = async (session: Session) => {
    for (const [number, { mode, onLost }] of keptLocks) {
      if ((await session.ask(tryQuery(mode), number)) === true) continue
      heldByOthersSince ??= performance.now()
      if (performance.now() - heldByOthersSince >= lostMs) onLost()
      throw connectionLost()
    }
    heldByOthersSince = undefined
  }
  let isClosed = false
  let mainPromise: Promise<Session> | undefined
  const mainSession = (): Promise<Session> => {
    if (mainPromise) return mainPromise
    const sessionPromise: Promise<Session> = openSession(pool, answerMs, () => forget(true)).then(
      async session => {
        try {
          await retakeKeptLocks(session)
          return session
        } catch (error) {
          session.end(true)
          throw error
        }
      },
    )
    const forget = (isBroken: boolean) => {
      if (mainPromise !== sessionPromise) return
      mainPromise = undefined
      // The connection is broken already.
      if (isBroken) sessionPromise.then(session => session.end(true)).catch(() => {})
      if (keptLocks.size > 0 && !isClosed)
        // A failure calls this again.
        setTimeout(() => mainSession().catch(() => {}), reconnectMs).unref()
    }
    mainPromise = sessionPromise
    sessionPromise.catch(() => forget(false))
    return sessionPromise
  }

  const tryTake = (key: string, mode: LockMode): Promise<Lock | undefined> => {
    const number = hashKey(key)
    const attempt = async () => {
      const session = await mainSession()
      return (await session.ask(tryQuery(mode), number)) === true
        ? makeLock(session, number, mode)
        : undefined
    }
    // Retries once, because an idle connection may have broken.
    return attempt().catch(attempt)
  }

  const queue = createWaitQueue(pool, answerMs)

  return {
    async take(key, mode) {
      for (;;) {
        const lock = await tryTake(key, mode)
        if (lock) return lock
        if (!queue.isFull()) return queue.waitFor(hashKey(key), mode)
        // Waiting for a connection could mean waiting for our own locks.
        await wait(retryMs)
      }
    },
    tryTake,
    async keep(key, mode, onLost) {
      const lock = await tryTake(key, mode)
      if (lock) keptLocks.set(hashKey(key), { mode, onLost })
      return lock !== undefined
    },
    async close() {
      if (isClosed) return
      isClosed = true
      // Without a session there is nothing to close.
      const session = await mainPromise?.catch(() => undefined)
      mainPromise = undefined
      // PostgreSQL notices the end of a connection later, and the next process may ask before.
      await session?.ask('select pg_advisory_unlock_all() as value', undefined, unlockMs).catch(() => {})
      session?.end(true)
      await pool.end()
    },
  }
}

/** Waits for locks that others hold, each on a connection of its own. */
const createWaitQueue = (pool: pg.Pool, answerMs: number) => {
  let waiting = 0
  const waitFor = async (number: string, mode: LockMode): Promise<Lock> => {
    waiting += 1
    try {
      const session = await openSession(pool, answerMs)
      const end = (isBroken: boolean) => {
        waiting -= 1
        session.end(isBroken)
      }
      try {
        // Others may hold the lock for any time. The operating system detects a dead connection.
        await session.ask(`select 1 as value from pg_advisory_lock${functionSuffixes[mode]}($1)`, number, 0)
      } catch (error) {
        session.end(true)
        throw error
      }
      return makeLock(session, number, mode, end)
    } catch (error) {
      waiting -= 1
      throw error
    }
  }
  return { isFull: () => waiting >= waitingMax, waitFor }
}

const tryQuery = (mode: LockMode): string =>
  `select pg_try_advisory_lock${functionSuffixes[mode]}($1) as value`
