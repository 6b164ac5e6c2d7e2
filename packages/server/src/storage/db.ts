/** Opens the storage: people, workspaces, members, clients, grants, keys, audit. Documents are the engine's. */
import { existsSync, mkdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { Kysely, PostgresDialect, SqliteDialect, sql, type Transaction } from 'kysely'
import { Migrator } from 'kysely/migration'
import pg from 'pg'
import { first } from './migrations/0001-first.ts'
import { people } from './migrations/0002-people.ts'
import { generations } from './migrations/0003-generations.ts'
import { mail } from './migrations/0004-mail.ts'
import { usage } from './migrations/0005-usage.ts'
import { audit } from './migrations/0006-audit.ts'
import { activity } from './migrations/0007-activity.ts'
import { hint } from './migrations/0008-hint.ts'
import { engineVersions } from './migrations/0009-engine-versions.ts'
import { sqliteDialect } from './sqlite-dialect.ts'
import type { Tables } from './tables.ts'
import { type Row, readRows, type TableName, writeRows } from './whole.ts'

export type Db = Kysely<Tables> | Transaction<Tables>

/** What caches must forget: a kind of thing and which. */
const topics = [
  'workspace',
  'member',
  'client',
  'user',
  'token',
  'grant',
  'keys',
  'generations',
  'engine',
] as const
export type Topic = (typeof topics)[number]
export interface ChangeNotice {
  topic: Topic
  /** Or {@link everyKey}. */
  key: string
}
/** Key of a notice that concerns everything of its topic: this process was cut off for so long that it may have missed changes. */
export const everyKey = '*'

/** A transaction that tells what it changed. */
export interface Writer {
  db: Transaction<Tables>
  /** Every node forgets what it kept under this key, as soon as the transaction is committed. */
  announce(topic: Topic, key: string): void
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
  /** Milliseconds since 1970 when storage last answered the change feed. */
  lastHeardAt(): number
  /** All rows as at one moment, on a connection of its own: nobody waits for it. */
  snapshot(): AsyncIterable<{ table: TableName; rows: Row[] }>
  close(): Promise<void>
}

/** Where the storage is: a file of SQLite, or a PostgreSQL connection string. */
export type StorageLocation = { file: string } | { connection: string; schema?: string }

/** How often other processes' changes are asked for. A revocation reaches every node within a second (query-service.md, Authorisation). */
const pollMs = 250
const changesKeptMs = 10 * 60 * 1000
/** After that long without an answer, changes may have been pruned unheard; half, because clocks of nodes differ. */
const changesMissedMs = changesKeptMs / 2
const changesReadMax = 1000

/** PostgreSQL hands 64-bit integers over as text; ours are times and counters, far below 2^53. */
const int8 = 20

const connect = (location: StorageLocation): { db: Kysely<Tables>; kind: Storage['kind'] } => {
  if ('file' in location) {
    mkdirSync(dirname(location.file), { recursive: true, mode: 0o700 })
    return { db: new Kysely<Tables>({ dialect: sqliteDialect(new Database(location.file)) }), kind: 'sqlite' }
  }
  const pool = new pg.Pool({
    connectionString: location.connection,
    max: 10,
    connectionTimeoutMillis: 5000,
    // A connection whose other end is gone without a word is noticed by the operating system.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    ...(location.schema ? { options: `-c search_path=${location.schema}` } : {}),
    types: {
      getTypeParser: (oid, format) => (oid === int8 ? Number : pg.types.getTypeParser(oid, format)),
    },
  })
  // A connection that breaks while idle is replaced by the pool; without a listener it would end the process.
  pool.on('error', () => {})
  // The same for one that breaks while a transaction holds it: the transaction's next query fails.
  pool.on('connect', client => client.on('error', () => {}))
  return { db: new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) }), kind: 'postgres' }
}

const migrations = (sqlite: boolean) => ({
  '0001-first': first(sqlite),
  '0002-people': people,
  '0003-generations': generations,
  '0004-mail': mail,
  '0005-usage': usage,
  '0006-audit': audit,
  '0007-activity': activity,
  '0008-hint': hint,
  '0009-engine-versions': engineVersions,
})
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
  if (error) throw new Error('the storage could not be brought to this version', { cause: error })
}

/** Rows of one statement: databases bound its parameters. */
const changesWrittenAtOnce = 1000

/** Writes notices to the feed, and returns their numbers there. */
const addChanges = async (db: Transaction<Tables>, notices: readonly ChangeNotice[]): Promise<number[]> => {
  const at = Date.now()
  const seqs: number[] = []
  for (let from = 0; from < notices.length; from += changesWrittenAtOnce) {
    const rows = notices
      .slice(from, from + changesWrittenAtOnce)
      .map(({ topic, key }) => ({ at, topic, key }))
    const added = await db.insertInto('changes').values(rows).returning('seq').execute()
    for (const { seq } of added) seqs.push(seq)
  }
  return seqs
}

/** Opens the storage and brings it to this version's tables. Throws when it cannot be reached or was made by a later version. */
export const openStorage = async (location: StorageLocation): Promise<Storage> => {
  const { db, kind } = connect(location)
  try {
    await migrate(db, kind, 'schema' in location ? location.schema : undefined)
  } catch (error) {
    await db.destroy()
    throw error
  }
  const listeners = new Set<(notice: ChangeNotice) => void>()
  const tell = (notice: ChangeNotice) => {
    for (const listener of listeners) listener(notice)
  }
  let closed = false
  let heardAt = Date.now()
  let { seq: heardSeq } = await db
    .selectFrom('changes')
    .select(({ fn }) => fn.coalesce(fn.max('seq'), sql<number>`0`).as('seq'))
    .executeTakeFirstOrThrow()

  /** Changes of this process, told when they were made; the feed brings them once more. */
  const ownSeqs = new Set<number>()

  const poll = async (): Promise<void> => {
    let started: number
    let rows: { seq: number; topic: string; key: string }[]
    do {
      started = Date.now()
      rows = await db
        .selectFrom('changes')
        .select(['seq', 'topic', 'key'])
        .where('seq', '>', heardSeq)
        .orderBy('seq')
        .limit(changesReadMax)
        .execute()
      for (const { seq, topic, key } of rows) {
        heardSeq = seq
        // Written by `write` alone.
        if (!ownSeqs.delete(seq)) tell({ topic: topic as Topic, key })
      }
    } while (rows.length === changesReadMax && !closed)
    if (started - heardAt > changesMissedMs) for (const topic of topics) tell({ topic, key: everyKey })
    heardAt = started
  }
  const prune = () =>
    db
      .deleteFrom('changes')
      .where('at', '<', Date.now() - changesKeptMs)
      .execute()

  let timer: NodeJS.Timeout | undefined
  let polls = 0
  let polling: Promise<unknown> = Promise.resolve()
  const schedule = () => {
    timer = setTimeout(() => {
      // Storage that is away is noticed by `lastHeardAt` growing old; the next poll tries again.
      polling = poll()
        .then(() => (++polls % 1000 === 0 ? prune() : undefined))
        .catch(() => {})
        .finally(() => {
          if (!closed) schedule()
        })
    }, pollMs)
    timer.unref()
  }
  schedule()

  return {
    db,
    kind,
    async write(work) {
      const notices: ChangeNotice[] = []
      let seqs: number[] = []
      const transaction = db.transaction().execute(async trx => {
        const done = await work({ db: trx, announce: (topic, key) => notices.push({ topic, key }) })
        if (notices.length > 0) {
          // Numbers of the feed become visible in their order: without the lock a lower one could appear after a higher was read.
          if (kind === 'postgres') await sql`select pg_advisory_xact_lock(7265)`.execute(trx)
          seqs = await addChanges(trx, notices)
          for (const seq of seqs) ownSeqs.add(seq)
        }
        return done
      })
      const result = await transaction.catch(error => {
        // It may have been committed all the same, when the connection broke at that moment: then the feed tells.
        for (const seq of seqs) ownSeqs.delete(seq)
        throw error
      })
      for (const notice of notices) tell(notice)
      return result
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    lastHeardAt: () => heardAt,
    snapshot: () => snapshotOf(location),
    async close() {
      closed = true
      clearTimeout(timer)
      await polling
      await db.destroy()
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
  const { rows } = await sql<{
    ms: number
  }>`select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`.execute(db)
  return rows[0]?.ms
}

/** Whether there is nothing yet: no file, or no tables. */
export const isEmptyStorage = async (location: StorageLocation): Promise<boolean> => {
  if ('file' in location) return !existsSync(location.file)
  const { db } = connect(location)
  try {
    return (await ownTables(db, location)).length === 0
  } finally {
    await db.destroy()
  }
}

const ownTables = async (
  db: Kysely<Tables>,
  { schema = 'public' }: { schema?: string },
): Promise<{ name: string }[]> => {
  const all = await db.introspection.getTables({ withInternalKyselyTables: true })
  return all.filter(table => table.schema === schema)
}

/**
 * Makes the tables in an empty storage as they were at `migration`, fills them, and brings them to this version. Nothing is left of it
 * when that fails.
 */
export const fillStorage = async (
  location: StorageLocation,
  migration: string,
  batches: AsyncIterable<{ table: TableName; rows: Row[] }>,
): Promise<void> => {
  if (!(await isEmptyStorage(location))) throw new Error('the storage to be filled is not empty')
  const { db, kind } = connect(location)
  const schema = 'schema' in location ? location.schema : undefined
  try {
    await migrate(db, kind, schema, migration)
    await writeRows(db, kind, batches)
    await migrate(db, kind, schema)
    await db.destroy()
  } catch (error) {
    if ('connection' in location)
      for (const { name } of await ownTables(db, location))
        await sql`drop table ${sql.table(name)} cascade`.execute(db)
    await db.destroy()
    if ('file' in location)
      for (const suffix of ['', '-wal', '-shm']) await rm(`${location.file}${suffix}`, { force: true })
    throw error
  }
}
