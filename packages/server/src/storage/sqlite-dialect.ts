/** SQLite as this server uses it: write transactions wait for one another instead of failing halfway. */
import { setTimeout as wait } from 'node:timers/promises'
import type Database from 'better-sqlite3'
import { CompiledQuery, type DatabaseConnection, type Driver, SqliteDialect, SqliteDriver } from 'kysely'

const begin = CompiledQuery.raw('begin immediate')
/** For how long a statement waits, with the thread, for another connection's lock. */
const statementBusyMs = 5000
const transactionBusyMs = 5000
const againAfterMs = 5

/**
 * A transaction takes the write lock when it begins (`begin immediate`): one that reads first and writes later could otherwise not
 * go on when another connection had written in between (https://sqlite.org/isolation.html). It waits for the lock off the thread.
 */
class ImmediateDriver extends SqliteDriver {
  readonly #database: Database.Database
  constructor(database: Database.Database) {
    super({ database })
    this.#database = database
  }
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    const givingUpAt = Date.now() + transactionBusyMs
    for (;;) {
      try {
        this.#database.pragma('busy_timeout = 0')
        await connection.executeQuery(begin)
        return
      } catch (error) {
        if ((error as { code?: unknown }).code !== 'SQLITE_BUSY' || Date.now() > givingUpAt) throw error
      } finally {
        this.#database.pragma(`busy_timeout = ${statementBusyMs}`)
      }
      await wait(againAfterMs)
    }
  }
}

class ImmediateDialect extends SqliteDialect {
  readonly #database: Database.Database
  constructor(database: Database.Database) {
    super({ database })
    this.#database = database
  }
  override createDriver(): Driver {
    return new ImmediateDriver(this.#database)
  }
}

/** The dialect over an open database; Kysely closes it. */
export const sqliteDialect = (database: Database.Database): SqliteDialect => {
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = FULL')
  database.pragma('foreign_keys = ON')
  database.pragma(`busy_timeout = ${statementBusyMs}`)
  return new ImmediateDialect(database)
}
