/** SQLite for this server: write transactions wait for each other instead of failing halfway. */
import { setTimeout as wait, setImmediate as waitForTurn } from 'node:timers/promises'
import type Database from 'better-sqlite3'
import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type Kysely,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
  sql,
} from 'kysely'
import { LRUCache } from 'lru-cache'
import { Problem } from '#errors'
import { type DiskReserve, isEssential } from './disk-reserve.ts'

const beginImmediate = CompiledQuery.raw('begin immediate')
/** How long a statement blocks the thread while another connection holds the lock. */
const statementBusyMs = 5000
const transactionBusyMs = 5000
const retryMs = 5
/** Statements run on the thread that serves requests; after this long, the next one lets others run first. */
const turnMsMax = 5

const statementsMax = 500
const keptStatement = /^\s*(select|insert|update|delete|with|begin|commit|rollback$)/i
const schemaChange = /^\s*(create|alter|drop)\b/i

/**
 * Writes of failed sign-ins and of replies to repeated forms. They matter for seconds or minutes, so they don't wait for the disk: that takes
 * 1 to 2 ms of the thread that serves requests, three times for a wrong password. A failed machine may lose the last of them, a killed process
 * loses none (https://sqlite.org/pragma.html#pragma_synchronous).
 */
const briefWrite = /^\s*(insert into|update|delete from) "(form_replies|throttles)"/i

/** Keeps prepared statements: to prepare one, and to compile the function that makes its rows, takes longer than most of its runs. */
const keepStatements = (database: Database.Database): SqliteDatabase => {
  const statements = new LRUCache<string, Database.Statement>({ max: statementsMax })
  return {
    close: () => void database.close(),
    prepare(text) {
      const prepared = statements.get(text)
      // A stream still reads the rows of a busy one.
      if (prepared && !prepared.busy) return prepared
      const statement = database.prepare(text)
      // `select *` has other columns then.
      if (schemaChange.test(text)) statements.clear()
      else if (keptStatement.test(text)) statements.set(text, statement)
      return statement
    },
  }
}

/**
 * Begins transactions with the write lock (`begin immediate`). A transaction that reads first could otherwise
 * not write after another connection has written (https://sqlite.org/isolation.html). Waits for the lock off
 * the thread.
 */
class ImmediateDriver extends SqliteDriver {
  readonly #database: Database.Database
  readonly #reserve: DiskReserve | undefined
  /** When the first statement ran since the last turn of the event loop. */
  #turnStartedMs: number | undefined
  constructor(database: Database.Database, reserve: DiskReserve | undefined) {
    super({ database: keepStatements(database) })
    this.#database = database
    this.#reserve = reserve
  }
  /** Promises of SQLite resolve at once, so a loop of statements would otherwise block the event loop. */
  async #takeTurn(): Promise<void> {
    if (this.#turnStartedMs !== undefined && performance.now() - this.#turnStartedMs > turnMsMax)
      await waitForTurn()
    if (this.#turnStartedMs !== undefined) return
    this.#turnStartedMs = performance.now()
    setImmediate(() => {
      this.#turnStartedMs = undefined
    })
  }
  override async acquireConnection(): Promise<DatabaseConnection> {
    const connection = await super.acquireConnection()
    return {
      executeQuery: async query => {
        await this.#takeTurn()
        const isAlone =
          query !== beginImmediate && !this.#database.inTransaction && !/^\s*select\b/i.test(query.sql)
        if (isAlone && this.#reserve && isEssential()) this.#reserve.release()
        const isBrief = isAlone && briefWrite.test(query.sql)
        if (isBrief) this.#database.pragma('synchronous = NORMAL')
        try {
          return await connection.executeQuery(query)
        } catch (error) {
          const translated = translateError(error)
          if (translated !== error) this.#reserve?.reportFull()
          throw translated
        } finally {
          if (isBrief) this.#database.pragma('synchronous = FULL')
          if (isAlone) this.#reserve?.refill()
        }
      },
      streamQuery: (query, chunkSize) => connection.streamQuery(query, chunkSize),
    }
  }
  /** SQLite rolls back by itself if the disk is full (https://sqlite.org/lang_transaction.html, 3). */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      if (this.#database.inTransaction) await super.rollbackTransaction(connection)
    } finally {
      this.#reserve?.refill()
    }
  }
  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await super.commitTransaction(connection)
    this.#reserve?.refill()
  }
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    const givingUpAt = Date.now() + transactionBusyMs
    for (;;) {
      try {
        this.#database.pragma('busy_timeout = 0')
        await connection.executeQuery(beginImmediate)
        // With the write lock, so that no other transaction takes the room.
        if (isEssential()) this.#reserve?.release()
        return
      } catch (error) {
        if ((error as { code?: unknown }).code !== 'SQLITE_BUSY' || Date.now() > givingUpAt) throw error
      } finally {
        this.#database.pragma(`busy_timeout = ${statementBusyMs}`)
      }
      await wait(retryMs)
    }
  }
}

/** SQLite reports "full" only for a full disk. A quota or file size limit shows as a failed write. */
const translateError = (error: unknown): unknown => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (!/^SQLITE_(FULL|IOERR|CANTOPEN)/.test(code)) return error
  const message = 'the disk with the storage is full or not writable; nothing was changed'
  return new Problem('unavailable', message, { cause: error })
}

class ImmediateDialect extends SqliteDialect {
  readonly #database: Database.Database
  readonly #reserve: DiskReserve | undefined
  constructor(database: Database.Database, reserve: DiskReserve | undefined) {
    super({ database })
    this.#database = database
    this.#reserve = reserve
  }
  override createDriver(): Driver {
    return new ImmediateDriver(this.#database, this.#reserve)
  }
}

/** Creates the dialect over an open database; Kysely closes it. */
export const sqliteDialect = (database: Database.Database, reserve?: DiskReserve): SqliteDialect => {
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = FULL')
  database.pragma('foreign_keys = ON')
  // Overwrites removed rows, such as searches that a workspace no longer keeps (https://sqlite.org/pragma.html#pragma_secure_delete).
  database.pragma('secure_delete = ON')
  database.pragma(`busy_timeout = ${statementBusyMs}`)
  return new ImmediateDialect(database, reserve)
}

/**
 * Moves the write-ahead log into the database and empties it, so that removed rows are nowhere. Does nothing while another
 * connection uses the log (https://sqlite.org/pragma.html#pragma_wal_checkpoint).
 */
export const truncateLog = <Tables>(db: Kysely<Tables>): Promise<void> =>
  db.connection().execute(async connection => {
    // The statement would block the thread for this long.
    await sql`pragma busy_timeout = 0`.execute(connection)
    try {
      await sql`pragma wal_checkpoint(truncate)`.execute(connection)
    } finally {
      await sql`pragma busy_timeout = ${sql.lit(statementBusyMs)}`.execute(connection)
    }
  })
