/**
 * Opens the storage: people, workspaces, members, clients, grants, keys and the audit log. Documents are in
 * the engine.
 */
import Database from 'better-sqlite3'
import { Kysely, SqliteDialect, sql, type Transaction } from 'kysely'
import { Problem } from '#errors'
import { addChanges, type ChangeNotice, openFeed, type Topic } from './change-feed.ts'
import { connect, type StatementObserver, type StorageLocation, storageUnreachable } from './connection.ts'
import { type DiskState, openDiskReserve } from './disk-reserve.ts'
import { type Row, readRows, type TableName } from './dump.ts'
import { explainFileError } from './file-errors.ts'
import { type Locks, openLocks } from './locks.ts'
import { openLogSearches } from './log-searches.ts'
import { migrateStorage } from './migrate.ts'
import { type ConnectionCounts, changesChannel, poolConfig } from './postgres-dialect.ts'
import { truncateLog } from './sqlite-dialect.ts'
import { type StorageKind, storageNow, type Tables } from './tables.ts'

// Most users of the storage need only this file.
export { allKeys, type ChangeNotice, type Topic } from './change-feed.ts'
export type { Db } from './tables.ts'

/** A transaction that announces its changes. */
export interface Writer {
  db: Transaction<Tables>
  /** Makes every node drop its cached value of this key after the commit. */
  announce(topic: Topic, key: string): void
  /** Whether this transaction announced a change under this key. */
  hasAnnounced(topic: Topic, key: string): boolean
  /**
   * Runs `work` last in the transaction. Sequence numbers of the rows it adds follow the order in which they
   * become visible.
   */
  runLast(work: (db: Transaction<Tables>) => Promise<unknown>): void
  /** Runs {@link Storage.eraseRemoved} after the commit. */
  eraseRemoved(): void
}

export interface Storage {
  db: Kysely<Tables>
  /** For searches of logs, which may read many rows. The connection of another thread on SQLite, otherwise `db`. */
  logs: Kysely<Tables>
  kind: StorageKind
  /**
   * Runs `work` in one transaction. When the promise resolves, the changes are durable and this process has
   * dropped the announced keys. Other processes learn of them through the change feed.
   */
  write<T>(work: (writer: Writer) => Promise<T>): Promise<T>
  /** Calls `listener` with every change, local and remote, until the returned function is called. */
  onChange(listener: (notice: ChangeNotice) => void): () => void
  /** How long the storage has not answered the change feed, in milliseconds. */
  silentMs(): number
  /** Whether the change feed cannot reach the storage: its last request failed, or has no answer for 2 s. */
  isAway(): boolean
  /** Asks the change feed now, and resolves when it has answered or failed, or has not answered for 2 s. */
  catchUp(): Promise<void>
  /** Locks between the processes on this storage; undefined if there is only this one. */
  locks: Locks | undefined
  /** Counts of PostgreSQL connections and waiting requests, without I/O. Undefined for SQLite. */
  connections(): { open: number; idle: number; waiting: number } | undefined
  /** All rows of one moment, read on a separate connection so that nothing waits for it. */
  snapshot(): AsyncIterable<{ table: TableName; rows: Row[] }>
  /**
   * Erases copies of removed rows: SQLite's write-ahead log may contain them. While another connection reads old rows, they
   * stay until the next call. PostgreSQL erases them when it vacuums.
   */
  eraseRemoved(): Promise<void>
  /** State of the disk with the SQLite file, from memory. Undefined if nobody watches it. */
  disk?(): DiskState
  /** Runs `work` with the room of the reserve if the disk is full. For files beside the SQLite file. */
  withReserve?<T>(work: () => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** Limit of a lookup or transaction, including waits for a connection and for locks. */
const stepMsMax = 10_000
/** The feed sends short queries often. */
const feedStepMsMax = 2_500

/**
 * Opens the storage and migrates it to this version. Throws an error with a one-line message if it is
 * unreachable or was changed by a later version.
 */
export const openStorage = async (
  location: StorageLocation,
  observer?: StatementObserver,
  /** Whether to keep a reserve for a full disk, or only to watch the disk. */
  diskReserve?: 'keep' | 'watch',
): Promise<Storage> => {
  await migrateStorage(location).catch(error => {
    throw explainFileError(error instanceof Problem ? storageUnreachable(error) : error, location)
  })
  const listeners = new Set<(notice: ChangeNotice) => void>()
  const notify = (notice: ChangeNotice) => {
    for (const listener of listeners) listener(notice)
  }
  let pool: ConnectionCounts | undefined
  const onPool = (openedPool: ConnectionCounts) => {
    pool = openedPool
  }
  const reserve =
    'file' in location && diskReserve ? openDiskReserve(location.file, diskReserve === 'keep') : undefined
  const mainConnection = connect(location, { stepMsMax }, { ...observer, onPool, reserve })
  const { db, kind } = mainConnection
  let wakeFeed = () => {}
  // A separate connection, so that the feed never waits for the pool.
  const feedConnection =
    kind === 'sqlite'
      ? mainConnection
      : connect(location, {
          stepMsMax: feedStepMsMax,
          connectionsMax: 1,
          onNotification: () => wakeFeed(),
        })
  const logs = 'file' in location ? openLogSearches(location.file) : db
  const disconnect = async () => {
    reserve?.close()
    // The last connection closes the write-ahead log, which a read-only one can't.
    for (const connection of new Set([logs, feedConnection.db, db])) await connection.destroy()
  }
  const feed = await openFeed(feedConnection, notify).catch(async error => {
    await disconnect()
    throw error
  })
  wakeFeed = feed.wake

  const locks = openStorageLocks(location)

  return {
    db,
    logs,
    kind,
    locks,
    write: createWrite(mainConnection, feed.ownSeqs, notify),
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    silentMs: feed.silentMs,
    isAway: feed.isAway,
    catchUp: feed.catchUp,
    connections: () => pool && { open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount },
    snapshot: () => readSnapshot(location),
    async eraseRemoved() {
      if (kind === 'sqlite') await truncateLog(db)
    },
    ...(reserve && {
      disk: reserve.state,
      withReserve: work => reserve.hold(work),
    }),
    async close() {
      await feed.close()
      await locks?.close()
      // The database is one file then, which can be copied. Other threads may still have it open.
      if (kind === 'sqlite') await truncateLog(db).catch(() => {})
      await disconnect()
    },
  }
}

/** `ownSeqs`: the sequence numbers of this process, which the feed skips. */
const createWrite =
  (
    { db, kind }: Pick<Storage, 'db' | 'kind'>,
    ownSeqs: Set<number>,
    notify: (notice: ChangeNotice) => void,
  ): Storage['write'] =>
  async work => {
    const notices: ChangeNotice[] = []
    const lastSteps: ((trx: Transaction<Tables>) => Promise<unknown>)[] = []
    let seqs: number[] = []
    let mustErase = false
    const transaction = db.transaction().execute(async trx => {
      const done = await work({
        db: trx,
        announce: (topic, key) => notices.push({ topic, key }),
        hasAnnounced: (topic, key) => notices.some(notice => notice.topic === topic && notice.key === key),
        runLast: step => lastSteps.push(step),
        eraseRemoved: () => {
          mustErase = true
        },
      })
      if (notices.length + lastSteps.length > 0) {
        // Sequence numbers must become visible in order: without the lock a lower one could appear after a
        // higher one was read. Taken last, when the transaction waits for nothing else, which prevents
        // deadlocks.
        if (kind === 'postgres')
          await sql`select pg_advisory_xact_lock(7265), pg_notify(${changesChannel}, '')`.execute(trx)
        for (const step of lastSteps) await step(trx)
        seqs = await addChanges(trx, kind, notices)
        for (const seq of seqs) ownSeqs.add(seq)
      }
      return done
    })
    const result = await transaction.catch(error => {
      for (const seq of seqs) ownSeqs.delete(seq)
      // If the connection broke, the transaction may be committed all the same, and the feed may have
      // skipped it as our own.
      if (seqs.length > 0) for (const notice of notices) notify(notice)
      throw error
    })
    for (const notice of notices) notify(notice)
    if (mustErase && kind === 'sqlite') await truncateLog(db)
    return result
  }

/** Locks between the processes on a storage, which may have no tables yet. Undefined for SQLite, which one process uses. */
export const openStorageLocks = (location: StorageLocation): Locks | undefined =>
  'file' in location ? undefined : openLocks(poolConfig(location), location.schema ?? '')

async function* readSnapshot(location: StorageLocation): ReturnType<Storage['snapshot']> {
  const { db, kind } = 'file' in location ? openReader(location.file) : connect(location)
  const trx =
    kind === 'sqlite'
      ? await db.startTransaction().execute()
      : await db.startTransaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute()
  try {
    yield* readRows(trx, kind)
  } finally {
    await trx
      .rollback()
      .execute()
      // The connection ends, and its transaction with it.
      .catch(() => {})
    await db.destroy()
  }
}

/**
 * A second connection: in WAL mode, reads and writes don't block each other (https://sqlite.org/wal.html).
 */
const openReader = (file: string): ReturnType<typeof connect> => {
  const database = new Database(file, { readonly: true })
  return { db: new Kysely<Tables>({ dialect: new SqliteDialect({ database }) }), kind: 'sqlite' }
}

/**
 * Returns the database's clock in milliseconds since 1970; undefined if it is this process's clock. Throws if
 * the database does not answer.
 */
export const databaseTime = async ({ db, kind }: Storage): Promise<number | undefined> => {
  if (kind === 'sqlite') {
    await sql`select 1`.execute(db)
    return undefined
  }
  const { rows } = await sql<{ ms: number }>`select ${storageNow(kind)} as ms`.execute(db)
  return rows[0]?.ms
}
