/**
 * Locks that the nodes on one PostgreSQL have among them: advisory locks of sessions, which end with their connection, so that a node
 * that dies holds none (https://www.postgresql.org/docs/current/explicit-locking.html#ADVISORY-LOCKS). PostgreSQL lets those that wait
 * have them in turn. A proxy in between must leave each session its connection.
 */
import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { Problem } from '#errors'
import type { Db } from './tables.ts'

export type LockMode = 'share' | 'alone'

/** One that this process holds. */
export interface Lock {
  /** Whether another process waits for it. Throws 503 when it was lost. */
  isWanted(): Promise<boolean>
  /** Within a transaction that must not be committed without the lock: throws 503 when it was lost. */
  assertHeld(db: Db): Promise<void>
  /** Throws 503 when it was lost before. */
  release(): Promise<void>
}

/** This process never stands in its own way: whoever takes the same key twice in it has to see to that. */
export interface Locks {
  /** Waits while other processes hold it in a way that excludes this. Throws 503 when the storage is away. */
  take(key: string, mode: LockMode): Promise<Lock>
  /** Undefined when it is held, or others wait for it. */
  tryTake(key: string, mode: LockMode): Promise<Lock | undefined>
  /**
   * Takes it for as long as this is open, again after a lost connection. False: another process stands in the way. `onLost` is called
   * when another one took it meanwhile and does not give it back; until it is had again, no lock is.
   */
  keep(key: string, mode: LockMode, onLost: () => void): Promise<boolean>
  close(): Promise<void>
}

/** Connections for waiting: one each, since a session that waits does nothing else. What is had without waiting shares one. */
const waitingMax = 8
const retryMs = 100
const reconnectMs = 1000
/** How long others may keep this process waiting. */
const limits = {
  /** For an answer to what waits for no other process. It is asked twice, on a new connection then: 10 s in all. */
  answerMs: 5_000,
  /** For what is kept, once it is another's after a lost connection: longer than a session of ours that was cut off may still hold it. */
  lostMs: 30_000,
}

/**
 * The other end of a connection that is gone without a word ends the session, and its locks, within 20 s; what an operator has set to
 * bound queries and idle sessions must not. Those that this PostgreSQL does not know are left out.
 */
const settings = {
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '2',
  tcp_user_timeout: '20000',
  statement_timeout: '0',
  lock_timeout: '0',
  idle_session_timeout: '0',
}
const sessionSetup = `select set_config(name, value, false) from (values ${Object.entries(settings)
  .map(([name, value]) => `('${name}', '${value}')`)
  .join(', ')}) as wanted(name, value) where name in (select name from pg_settings)`

/** Rows of pg_locks that are of a key (https://www.postgresql.org/docs/current/view-pg-locks.html). */
const lockCondition = `locktype = 'advisory' and objsubid = 1
  and database = (select oid from pg_database where datname = current_database())
  and (classid::bigint << 32 | objid::bigint) = `

const functionSuffixes = { share: '_shared', alone: '' } satisfies Record<LockMode, string>

const connectionLost = (cause?: unknown): Problem =>
  new Problem('unavailable', 'the connection to the storage was lost meanwhile; try again', { cause })

interface Session {
  pid: number
  /** One query after another; `msMax` for its answer, 0: as long as it takes. Throws 503. */
  ask(query: string, number?: string, msMax?: number): Promise<unknown>
  /** Gives the connection back; closes it when it broke. */
  end(isBroken: boolean): void
}

/** `space`: keys of one do not stand in the way of another's in the same database. */
export const openLocks = (connection: pg.PoolConfig, space: string, { answerMs, lostMs } = limits): Locks => {
  const pool = new pg.Pool({
    ...connection,
    max: waitingMax + 1,
    async onConnect(client) {
      await client.query(withTimeout(sessionSetup, [], answerMs))
    },
  })
  pool.on('error', () => {})
  pool.on('connect', client => client.on('error', () => {}))
  const hashKey = (key: string) =>
    createHash('sha256').update(`${space} ${key}`).digest().readBigInt64BE().toString()

  const openSession = async (onBroken: () => void = () => {}): Promise<Session> => {
    const client = await pool.connect().catch(cause => {
      throw connectionLost(cause)
    })
    const events = ['error', 'end'] as const
    for (const event of events) client.on(event, onBroken)
    let previous: Promise<unknown> = Promise.resolve()
    let brokenBy: unknown
    const ask: Session['ask'] = async (text, number, msMax = answerMs) => {
      const result = previous.then(() => {
        // What is asked next on a connection that did not answer would wait as long.
        if (brokenBy !== undefined) throw brokenBy
        return client.query<{ value: unknown }>(withTimeout(text, number ? [number] : [], msMax))
      })
      previous = result.catch(cause => {
        brokenBy ??= cause
      })
      const { rows } = await result.catch(cause => {
        onBroken()
        throw connectionLost(cause)
      })
      return rows[0]?.value
    }
    const end = (isBroken: boolean) => {
      for (const event of events) client.off(event, onBroken)
      client.release(isBroken)
    }
    try {
      return { pid: Number(await ask('select pg_backend_pid() as value')), ask, end }
    } catch (error) {
      end(true)
      throw error
    }
  }

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
    const sessionPromise: Promise<Session> = openSession(() => forget(true)).then(async session => {
      try {
        await retakeKeptLocks(session)
        return session
      } catch (error) {
        session.end(true)
        throw error
      }
    })
    const forget = (isBroken: boolean) => {
      if (mainPromise !== sessionPromise) return
      mainPromise = undefined
      if (isBroken) sessionPromise.then(session => session.end(true)).catch(() => {})
      if (keptLocks.size > 0 && !isClosed)
        setTimeout(() => mainSession().catch(() => {}), reconnectMs).unref()
    }
    mainPromise = sessionPromise
    sessionPromise.catch(() => forget(false))
    return sessionPromise
  }

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

  const tryTake = (key: string, mode: LockMode): Promise<Lock | undefined> => {
    const number = hashKey(key)
    const attempt = async () => {
      const session = await mainSession()
      return (await session.ask(tryQuery(mode), number)) === true
        ? makeLock(session, number, mode)
        : undefined
    }
    // A connection that broke while nobody used it is replaced.
    return attempt().catch(attempt)
  }

  let waiting = 0
  const waitFor = async (number: string, mode: LockMode): Promise<Lock> => {
    waiting += 1
    try {
      const session = await openSession()
      const end = (isBroken: boolean) => {
        waiting -= 1
        session.end(isBroken)
      }
      try {
        // Whoever has it keeps it for as long as they like; a connection that is gone is noticed by the operating system.
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

  return {
    async take(key, mode) {
      for (;;) {
        const lock = await tryTake(key, mode)
        if (lock) return lock
        if (waiting < waitingMax) return waitFor(hashKey(key), mode)
        // Waiting for a connection could be waiting for one's own locks.
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
      const session = await mainPromise?.catch(() => undefined)
      mainPromise = undefined
      session?.end(true)
      await pool.end()
    },
  }
}

/** The client library's types leave its time limit out. */
const withTimeout = (
  text: string,
  values: string[],
  msMax: number,
): pg.QueryConfig & { query_timeout: number } => ({
  text,
  values,
  query_timeout: msMax,
})

const tryQuery = (mode: LockMode): string =>
  `select pg_try_advisory_lock${functionSuffixes[mode]}($1) as value`
