/** Opens the storage: people, workspaces, members, clients, grants, keys, audit. Documents are the engine's. */
import { existsSync, mkdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { Kysely, SqliteDialect, sql, type Transaction } from 'kysely'
import { Migrator } from 'kysely/migration'
import { Problem } from '#errors'
import { storageNow } from './clock.ts'
import { addChanges, type ChangeNotice, type Connected, openFeed, type Topic } from './feed.ts'
import { type Locks, openLocks } from './locks.ts'
import { migrations } from './migrations/all.ts'
import {
  type ConnectionCounts,
  changesChannel,
  type PostgresSettings,
  poolConfig,
  postgresDialect,
} from './postgres-dialect.ts'
import { sqliteDialect } from './sqlite-dialect.ts'
import { type Statement, statementLog } from './statement.ts'
import type { Tables } from './tables.ts'
import { type Row, readRows, type TableName, writeRows } from './whole.ts'

// Those who change things, and those who keep them, need this file alone.
export { type ChangeNotice, everyKey, type Topic } from './feed.ts'

export type Db = Kysely<Tables> | Transaction<Tables>

/** A transaction that tells what it changed. */
export interface Writer {
  db: Transaction<Tables>
  /** Every node forgets what it kept under this key, as soon as the transaction is committed. */
  announce(topic: Topic, key: string): void
  /** Does `work` last in the transaction; the rows that it adds are numbered in the order in which readers come to see them. */
  inOrder(work: (db: Transaction<Tables>) => Promise<unknown>): void
}

export interface Storage {
  db: Kysely<Tables>
  kind: 'sqlite' | 'postgres'
  /**
   * Runs `work` in one transaction. When the promise resolves the changes are durable and this process has forgotten what was
   * announced; other processes hear of it through the change feed.
   */
  write<T>(work: (writer: Writer) => Promise<T>): Promise<T>
  /** Calls `listener` with every change, this process's and others', until the returned function is called. */
  onChange(listener: (notice: ChangeNotice) => void): () => void
  /** For how long the storage has not answered the change feed, in milliseconds. */
  silentMs(): number
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
/** Of one statement, and of a transaction's pause between two: nobody waits for what was given up. */
const statementMsMax = 10_000
/** The feed asks for little and often. */
const feedStatementMsMax = 2_000

/** Who wants to know what the storage is asked. */
interface Watching {
  onStatement?: ((statement: Statement) => void) | undefined
}

/** `limits`: without them a statement may take as long as it takes. */
const connect = (
  location: StorageLocation,
  limits: { statementMsMax?: number; connectionsMax?: number; onTold?: () => void } = {},
  { onStatement, onPool }: Watching & Pick<PostgresSettings, 'onPool'> = {},
): Connected => {
  const kind = 'file' in location ? 'sqlite' : 'postgres'
  const watched = onStatement ? { log: statementLog(kind, onStatement) } : {}
  if ('file' in location) {
    mkdirSync(dirname(location.file), { recursive: true, mode: 0o700 })
    const dialect = sqliteDialect(new Database(location.file))
    return { db: new Kysely<Tables>({ dialect, ...watched }), kind }
  }
  const dialect = postgresDialect({ connectionsMax, ...location, ...limits, ...(onPool ? { onPool } : {}) })
  return { db: new Kysely<Tables>({ dialect, ...watched }), kind }
}

/** Of every change of the tables, in their order; the last one is this version's. */
export const migrationNames: readonly string[] = Object.keys(migrations(true))

/** `to`: the last change to make; the newest when it is left out. */
const migrate = async (
  db: Kysely<Tables>,
  kind: Storage['kind'],
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
  const later = (await madeMigrations(db, schema).catch(() => [])).find(
    name => !migrationNames.includes(name),
  )
  throw later === undefined ? notMigrated(error) : laterVersion(later)
}

/** Of PostgreSQL: insufficient_privilege. */
const notAllowed = '42501'

const notMigrated = (cause: unknown): Error => {
  const { message, code }: { message?: unknown; code?: unknown } = Object(cause)
  const advice =
    code === notAllowed
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
const madeMigrations = async (db: Kysely<Tables>, schema: string | undefined): Promise<string[]> => {
  const table = sql.table(schema === undefined ? 'kysely_migration' : `${schema}.kysely_migration`)
  const { rows } = await sql<{ name: string }>`select name from ${table} order by name`.execute(db)
  return rows.map(({ name }) => name)
}

/** Nothing is started without it: whoever supervises the process starts it again. */
const notReached = (problem: Problem): Error => {
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
const bringUpToDate = async (location: StorageLocation): Promise<void> => {
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
export const openStorage = async (location: StorageLocation, watching?: Watching): Promise<Storage> => {
  await bringUpToDate(location).catch(error => {
    throw error instanceof Problem ? notReached(error) : error
  })
  const listeners = new Set<(notice: ChangeNotice) => void>()
  const tell = (notice: ChangeNotice) => {
    for (const listener of listeners) listener(notice)
  }
  let pool: ConnectionCounts | undefined
  const onPool = (made: ConnectionCounts) => {
    pool = made
  }
  const own = connect(location, { statementMsMax }, { ...watching, onPool })
  const { db, kind } = own
  let told = () => {}
  // A connection of its own: requests that take those of the pool from one another must not keep the feed waiting.
  const forFeed =
    kind === 'sqlite'
      ? own
      : connect(location, {
          statementMsMax: feedStatementMsMax,
          connectionsMax: 1,
          onTold: () => told(),
        })
  const disconnect = async () => {
    for (const each of new Set([forFeed.db, db])) await each.destroy()
  }
  const feed = await openFeed(forFeed, tell).catch(async error => {
    await disconnect()
    throw error
  })
  told = feed.told

  const locks = 'file' in location ? undefined : openLocks(poolConfig(location), location.schema ?? '')

  return {
    db,
    kind,
    locks,
    async write(work) {
      const notices: ChangeNotice[] = []
      const last: ((trx: Transaction<Tables>) => Promise<unknown>)[] = []
      let seqs: number[] = []
      const transaction = db.transaction().execute(async trx => {
        const done = await work({
          db: trx,
          announce: (topic, key) => notices.push({ topic, key }),
          inOrder: numbered => last.push(numbered),
        })
        if (notices.length + last.length > 0) {
          // Numbers become visible in their order: without the lock a lower one could appear after a higher was read. Taken last, when
          // nothing else is waited for: so no two transactions wait for one another.
          if (kind === 'postgres')
            await sql`select pg_advisory_xact_lock(7265), pg_notify(${changesChannel}, '')`.execute(trx)
          for (const numbered of last) await numbered(trx)
          seqs = await addChanges(trx, kind, notices)
          for (const seq of seqs) feed.ownSeqs.add(seq)
        }
        return done
      })
      const result = await transaction.catch(error => {
        for (const seq of seqs) feed.ownSeqs.delete(seq)
        // It may have been committed all the same, when the connection broke at that moment; the feed may have passed it as our own.
        if (seqs.length > 0) for (const notice of notices) tell(notice)
        throw error
      })
      for (const notice of notices) tell(notice)
      return result
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    silentMs: feed.silentMs,
    connections: () => pool && { open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount },
    snapshot: () => snapshotOf(location),
    async close() {
      await feed.close()
      await locks?.close()
      await disconnect()
    },
  }
}

async function* snapshotOf(location: StorageLocation): ReturnType<Storage['snapshot']> {
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
    const made = await madeMigrations(db, 'schema' in location ? location.schema : undefined)
    const later = made.find(name => !migrationNames.includes(name))
    if (later !== undefined) throw laterVersion(later)
    const tables = new Set((await db.introspection.getTables()).map(({ name }) => name))
    return {
      migration: made.at(-1) ?? '',
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
  'file' in location ? !existsSync(location.file) : (await whatIsThere(location)) === 'nothing'

/**
 * What a place for a storage has: `nothing`; `nobody`: tables of ours without a person, as a start that was given up leaves them; a
 * storage that is `used`; or something `else`. Throws an error whose message is one line, when it cannot be reached.
 */
export const whatIsThere = async (
  location: StorageLocation,
): Promise<'nothing' | 'nobody' | 'used' | 'else'> => {
  if ('file' in location && !existsSync(location.file)) return 'nothing'
  const { db } = connect(location)
  try {
    const names = (await ownTables(db, location)).map(({ name }) => name)
    if (!['kysely_migration', 'users'].every(name => names.includes(name)))
      return names.length === 0 && 'connection' in location ? 'nothing' : 'else'
    return (await db.selectFrom('users').select('id').limit(1).execute()).length === 0 ? 'nobody' : 'used'
  } catch (error) {
    throw error instanceof Problem ? notReached(error) : error
  } finally {
    await db.destroy()
  }
}

/** Where it makes its tables: the first schema of the search path, unless another was named. */
const ownTables = async (db: Kysely<Tables>, location: StorageLocation): Promise<{ name: string }[]> => {
  const all = await db.introspection.getTables({ withInternalKyselyTables: true })
  if ('file' in location) return all
  const { rows } = await sql<{ schema: string | null }>`select current_schema() as schema`.execute(db)
  return all.filter(table => table.schema === rows[0]?.schema)
}

const dropTables = async (db: Kysely<Tables>, location: StorageLocation): Promise<void> => {
  for (const { name } of await ownTables(db, location))
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
  last?: () => Promise<unknown>,
): Promise<void> => {
  if (!(await isEmptyStorage(location))) throw new Error('the storage to be filled is not empty')
  const { db, kind } = connect(location)
  const schema = 'schema' in location ? location.schema : undefined
  try {
    await migrate(db, kind, schema, migration)
    await writeRows(db, kind, batches)
    await migrate(db, kind, schema)
    await last?.()
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
