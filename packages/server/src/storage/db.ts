/** Opens the storage: people, workspaces, members, clients, grants, keys, audit. Documents are the engine's. */
import { existsSync, mkdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { Kysely, SqliteDialect, sql, type Transaction } from 'kysely'
import { Migrator } from 'kysely/migration'
import { Problem } from '#errors'
import { addChanges, type ChangeNotice, type Connection, openFeed, type Topic } from './change-feed.ts'
import { storageNow } from './clock.ts'
import { type Row, readRows, type TableName, writeRows } from './dump.ts'
import { type Locks, openLocks } from './locks.ts'
import { migrations } from './migrations/all.ts'
import {
  type ConnectionCounts,
  changesChannel,
  type PostgresSettings,
  poolConfig,
  postgresDialect,
} from './postgres-dialect.ts'
import { createStatementLog, type Statement } from './query-log.ts'
import { sqliteDialect } from './sqlite-dialect.ts'
import type { StorageKind, Tables } from './tables.ts'

// Those who change things, and those who keep them, need this file alone.
export { allKeys, type ChangeNotice, type Topic } from './change-feed.ts'
export type { Db } from './tables.ts'

/** A transaction that tells what it changed. */
export interface Writer {
  db: Transaction<Tables>
  /** Every node forgets what it kept under this key, as soon as the transaction is committed. */
  announce(topic: Topic, key: string): void
  /** Whether this transaction announced a change under this key. */
  hasAnnounced(topic: Topic, key: string): boolean
  /** Does `work` last in the transaction; the rows that it adds are numbered in the order in which readers come to see them. */
  runLast(work: (db: Transaction<Tables>) => Promise<unknown>): void
}

export interface Storage {
  db: Kysely<Tables>
  kind: StorageKind
  /**
   * Runs `work` in one transaction. When the promise resolves the changes are durable and this process has forgotten what was
   * announced; other processes hear of it through the change feed.
   */
  write<T>(work: (writer: Writer) => Promise<T>): Promise<T>
  /** Calls `listener` with every change, this process's and others', until the returned function is called. */
  onChange(listener: (notice: ChangeNotice) => void): () => void
  /** For how long the storage has not answered the change feed, in milliseconds. */
  silentMs(): number
  /** Whether the change feed cannot reach the storage: its last request failed, or has no answer for 2 s. */
  isAway(): boolean
  /** Between the processes on this storage; undefined: there is only this one. */
  locks: Locks | undefined
  /** Connections to PostgreSQL, and how many wait for one. No I/O. Undefined: SQLite has none. */
  connections(): { open: number; idle: number; waiting: number } | undefined
  /** All rows as at one moment, on a connection of its own: nobody waits for it. */
  snapshot(): AsyncIterable<{ table: TableName; rows: Row[] }>
  close(): Promise<void>
}

/** Where the storage is: a file of SQLite, or a PostgreSQL connection string. */
export type StorageLocation = { file: string } | { connection: string; schema?: string }

const connectionsMax = 10
/** For a lookup or a transaction, with its wait for a connection and for locks: nobody waits for one that was given up. */
const stepMsMax = 10_000
/** The feed asks for little and often. */
const feedStepMsMax = 2_500

/** Who wants to know what the storage is asked. */
interface StatementObserver {
  onStatement?: ((statement: Statement) => void) | undefined
}

/** `limits`: without them a step may take as long as it takes. */
const connect = (
  location: StorageLocation,
  limits: { stepMsMax?: number; connectionsMax?: number; onNotification?: () => void } = {},
  { onStatement, onPool }: StatementObserver & Pick<PostgresSettings, 'onPool'> = {},
): Connection => {
  const kind = 'file' in location ? 'sqlite' : 'postgres'
  const logging = onStatement ? { log: createStatementLog(kind, onStatement) } : {}
  if ('file' in location) {
    mkdirSync(dirname(location.file), { recursive: true, mode: 0o700 })
    const dialect = sqliteDialect(new Database(location.file))
    return { db: new Kysely<Tables>({ dialect, ...logging }), kind }
  }
  const dialect = postgresDialect({ connectionsMax, ...location, ...limits, ...(onPool ? { onPool } : {}) })
  return { db: new Kysely<Tables>({ dialect, ...logging }), kind }
}

/** Of every change of the tables, in their order; the last one is this version's. */
export const migrationNames: readonly string[] = Object.keys(migrations(true))

/** `to`: the last change to make; the newest when it is left out. */
const migrate = async (
  db: Kysely<Tables>,
  kind: StorageKind,
  schema: string | undefined,
  to?: string,
): Promise<void> => {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => migrations(kind === 'sqlite') },
    ...(schema === undefined ? {} : { migrationTableSchema: schema }),
  })
  const { error } = await (to === undefined ? migrator.migrateToLatest() : migrator.migrateTo(to))
  if (!error) return
  if (error instanceof Problem) throw error
  const laterMigration = (await listAppliedMigrations(db, schema).catch(() => [])).find(
    name => !migrationNames.includes(name),
  )
  throw laterMigration === undefined ? migrationFailed(error) : laterVersion(laterMigration)
}

/** Of PostgreSQL: insufficient_privilege. */
const insufficientPrivilege = '42501'

const migrationFailed = (cause: unknown): Error => {
  const { message, code }: { message?: unknown; code?: unknown } = Object(cause)
  const advice =
    code === insufficientPrivilege
      ? ': the role of --storage needs CREATE and USAGE on the schema, and to own the tables, as a role that owns the database has them'
      : ''
  return new Error(`the storage could not be brought to this version (${String(message)})${advice}`, {
    cause,
  })
}

/** Its code says that starting again is of no use. */
const laterVersion = (migration: string): Error => {
  const message = `the storage was changed by a later version of Querent (${migration}): start that version, or restore a backup from before`
  return Object.assign(new Error(message), { code: 'later-version' })
}

/** Those that were made, in their order. */
const listAppliedMigrations = async (db: Kysely<Tables>, schema: string | undefined): Promise<string[]> => {
  const table = sql.table(schema === undefined ? 'kysely_migration' : `${schema}.kysely_migration`)
  const { rows } = await sql<{ name: string }>`select name from ${table} order by name`.execute(db)
  return rows.map(({ name }) => name)
}

/** Nothing is started without it: whoever supervises the process starts it again. */
const storageUnreachable = (problem: Problem): Error => {
  const { cause } = problem
  // Several addresses were tried.
  const [error = cause] = cause instanceof AggregateError ? cause.errors : []
  const reason = error instanceof Error ? error.message : problem.message
  return new Error(
    `the storage cannot be reached (${reason}): check --storage, and that the database runs and lets this machine in`,
    { cause: problem },
  )
}

/** Without limits of time: large tables are changed. */
const migrateStorage = async (location: StorageLocation): Promise<void> => {
  const { db, kind } = connect(location)
  try {
    await migrate(db, kind, 'schema' in location ? location.schema : undefined)
  } finally {
    await db.destroy()
  }
}

/**
 * Opens the storage and brings it to this version's tables. Throws an error whose message is one line, when it
 * cannot be reached or was made by a later version.
 */
export const openStorage = async (
  location: StorageLocation,
  observer?: StatementObserver,
): Promise<Storage> => {
  await migrateStorage(location).catch(error => {
    throw error instanceof Problem ? storageUnreachable(error) : error
  })
  const listeners = new Set<(notice: ChangeNotice) => void>()
  const notify = (notice: ChangeNotice) => {
    for (const listener of listeners) listener(notice)
  }
  let pool: ConnectionCounts | undefined
  const onPool = (openedPool: ConnectionCounts) => {
    pool = openedPool
  }
  const mainConnection = connect(location, { stepMsMax }, { ...observer, onPool })
  const { db, kind } = mainConnection
  let wakeFeed = () => {}
  // A connection of its own: requests that take those of the pool from one another must not keep the feed waiting.
  const feedConnection =
    kind === 'sqlite'
      ? mainConnection
      : connect(location, {
          stepMsMax: feedStepMsMax,
          connectionsMax: 1,
          onNotification: () => wakeFeed(),
        })
  const disconnect = async () => {
    for (const connection of new Set([feedConnection.db, db])) await connection.destroy()
  }
  const feed = await openFeed(feedConnection, notify).catch(async error => {
    await disconnect()
    throw error
  })
  wakeFeed = feed.wake

  const locks = 'file' in location ? undefined : openLocks(poolConfig(location), location.schema ?? '')

  return {
    db,
    kind,
    locks,
    async write(work) {
      const notices: ChangeNotice[] = []
      const lastSteps: ((trx: Transaction<Tables>) => Promise<unknown>)[] = []
      let seqs: number[] = []
      const transaction = db.transaction().execute(async trx => {
        const done = await work({
          db: trx,
          announce: (topic, key) => notices.push({ topic, key }),
          hasAnnounced: (topic, key) => notices.some(notice => notice.topic === topic && notice.key === key),
          runLast: step => lastSteps.push(step),
        })
        if (notices.length + lastSteps.length > 0) {
          // Numbers become visible in their order: without the lock a lower one could appear after a higher was read. Taken last, when
          // nothing else is waited for: so no two transactions wait for one another.
          if (kind === 'postgres')
            await sql`select pg_advisory_xact_lock(7265), pg_notify(${changesChannel}, '')`.execute(trx)
          for (const step of lastSteps) await step(trx)
          seqs = await addChanges(trx, kind, notices)
          for (const seq of seqs) feed.ownSeqs.add(seq)
        }
        return done
      })
      const result = await transaction.catch(error => {
        for (const seq of seqs) feed.ownSeqs.delete(seq)
        // It may have been committed all the same, when the connection broke at that moment; the feed may have passed it as our own.
        if (seqs.length > 0) for (const notice of notices) notify(notice)
        throw error
      })
      for (const notice of notices) notify(notice)
      return result
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    silentMs: feed.silentMs,
    isAway: feed.isAway,
    connections: () => pool && { open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount },
    snapshot: () => readSnapshot(location),
    async close() {
      await feed.close()
      await locks?.close()
      await disconnect()
    },
  }
}

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
      .catch(() => {})
    await db.destroy()
  }
}

/** A second connection: in WAL mode its reading and others' writing don't wait for one another (https://sqlite.org/wal.html). */
const openReader = (file: string): ReturnType<typeof connect> => {
  const database = new Database(file, { readonly: true })
  return { db: new Kysely<Tables>({ dialect: new SqliteDialect({ database }) }), kind: 'sqlite' }
}

/** What the database's clock says, milliseconds since 1970; undefined where it is that of this process. Throws when it does not answer. */
export const databaseTime = async ({ db, kind }: Storage): Promise<number | undefined> => {
  if (kind === 'sqlite') {
    await sql`select 1`.execute(db)
    return undefined
  }
  const { rows } = await sql<{ ms: number }>`select ${storageNow(kind)} as ms`.execute(db)
  return rows[0]?.ms
}

/** All rows of a storage that no server has open, of whatever version; its last migration says which. Throws for a later one. */
export const readStorage = async (
  location: StorageLocation,
): Promise<{
  migration: string
  rows(engineStays: boolean): ReturnType<typeof readRows>
  close(): Promise<void>
}> => {
  const { db, kind } = connect(location)
  try {
    const appliedMigrations = await listAppliedMigrations(
      db,
      'schema' in location ? location.schema : undefined,
    )
    const laterMigration = appliedMigrations.find(name => !migrationNames.includes(name))
    if (laterMigration !== undefined) throw laterVersion(laterMigration)
    const tables = new Set((await db.introspection.getTables()).map(({ name }) => name))
    return {
      migration: appliedMigrations.at(-1) ?? '',
      rows: engineStays => readRows(db, kind, { tables, engineStays }),
      close: () => db.destroy(),
    }
  } catch (error) {
    await db.destroy()
    throw error
  }
}

/** Whether there is nothing yet: no file, or no tables. */
export const isEmptyStorage = async (location: StorageLocation): Promise<boolean> =>
  'file' in location ? !existsSync(location.file) : (await inspectStorage(location)) === 'nothing'

/**
 * What a place for a storage has: `nothing`; `nobody`: tables of ours without a person, as a start that was given up leaves them; a
 * storage that is `used`; or something `else`. Throws an error whose message is one line, when it cannot be reached.
 */
export const inspectStorage = async (
  location: StorageLocation,
): Promise<'nothing' | 'nobody' | 'used' | 'else'> => {
  if ('file' in location && !existsSync(location.file)) return 'nothing'
  const { db } = connect(location)
  try {
    const names = (await listTables(db, location)).map(({ name }) => name)
    if (!['kysely_migration', 'users'].every(name => names.includes(name)))
      return names.length === 0 && 'connection' in location ? 'nothing' : 'else'
    return (await db.selectFrom('users').select('id').limit(1).execute()).length === 0 ? 'nobody' : 'used'
  } catch (error) {
    throw error instanceof Problem ? storageUnreachable(error) : error
  } finally {
    await db.destroy()
  }
}

/** Where it makes its tables: the first schema of the search path, unless another was named. */
const listTables = async (db: Kysely<Tables>, location: StorageLocation): Promise<{ name: string }[]> => {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true })
  if ('file' in location) return tables
  const { rows } = await sql<{ schema: string | null }>`select current_schema() as schema`.execute(db)
  return tables.filter(table => table.schema === rows[0]?.schema)
}

const dropTables = async (db: Kysely<Tables>, location: StorageLocation): Promise<void> => {
  for (const { name } of await listTables(db, location))
    await sql`drop table ${sql.table(name)} cascade`.execute(db)
}

/**
 * Makes the tables in an empty storage as they were at `migration`, fills them, and brings them to this version. Nothing is left of it
 * when that fails, or what is done `last`.
 */
export const fillStorage = async (
  location: StorageLocation,
  migration: string,
  batches: AsyncIterable<{ table: TableName; rows: Row[] }>,
  finish?: () => Promise<unknown>,
): Promise<void> => {
  if (!(await isEmptyStorage(location))) throw new Error('the storage to be filled is not empty')
  const { db, kind } = connect(location)
  const schema = 'schema' in location ? location.schema : undefined
  try {
    await migrate(db, kind, schema, migration)
    await writeRows(db, kind, batches)
    await migrate(db, kind, schema)
    await finish?.()
  } catch (error) {
    // Where the database went away, there are empty tables left; what is told is why.
    if ('connection' in location) await dropTables(db, location).catch(() => {})
    await db.destroy()
    if ('file' in location)
      for (const suffix of ['', '-wal', '-shm']) await rm(`${location.file}${suffix}`, { force: true })
    throw error
  }
  await db.destroy().catch(() => {})
}
