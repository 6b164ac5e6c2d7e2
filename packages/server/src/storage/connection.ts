/** Connects to a database, without migrating it. */
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { Kysely, type LogEvent } from 'kysely'
import type { Problem } from '#errors'
import type { Connection } from './change-feed.ts'
import type { DiskReserve } from './disk-reserve.ts'
import { type PostgresSettings, postgresDialect } from './postgres-dialect.ts'
import { sqliteDialect } from './sqlite-dialect.ts'
import type { Tables } from './tables.ts'

/** Location of the storage: an SQLite file or a PostgreSQL connection string. */
export type StorageLocation = { file: string } | { connection: string; schema?: string }

const connectionsMax = 10

/** A statement that has ended: its kind, never its values. */
export interface Statement {
  kind: 'sqlite' | 'postgres'
  /** First word: `select`, `insert`. */
  verb: string
  ms: number
  failed: boolean
}

/** Creates a log function for Kysely that passes statements on. */
const createStatementLog =
  (kind: Statement['kind'], onStatement: (statement: Statement) => void) =>
  ({ level, query, queryDurationMillis: ms }: LogEvent): void => {
    const [verb = ''] = /^\w+/.exec(query.sql) ?? []
    onStatement({ kind, verb, ms, failed: level === 'error' })
  }

/** Observes statements. */
export interface StatementObserver {
  onStatement?: ((statement: Statement) => void) | undefined
}

/** Without `limits` a step has no time limit. */
export const connect = (
  location: StorageLocation,
  limits: { stepMsMax?: number; connectionsMax?: number; onNotification?: () => void } = {},
  {
    onStatement,
    onPool,
    reserve,
  }: StatementObserver & Pick<PostgresSettings, 'onPool'> & { reserve?: DiskReserve | undefined } = {},
): Connection => {
  const kind = 'file' in location ? 'sqlite' : 'postgres'
  const logging = onStatement ? { log: createStatementLog(kind, onStatement) } : {}
  if ('file' in location) {
    mkdirSync(dirname(location.file), { recursive: true, mode: 0o700 })
    const dialect = sqliteDialect(new Database(location.file), reserve)
    return { db: new Kysely<Tables>({ dialect, ...logging }), kind }
  }
  const dialect = postgresDialect({ connectionsMax, ...location, ...limits, ...(onPool ? { onPool } : {}) })
  return { db: new Kysely<Tables>({ dialect, ...logging }), kind }
}

/** The process does not start without storage; its supervisor restarts it. */
export const storageUnreachable = (problem: Problem): Error => {
  const { cause } = problem
  // Several addresses were tried.
  const [error = cause] = cause instanceof AggregateError ? cause.errors : []
  const reason = error instanceof Error ? error.message : problem.message
  return new Error(
    `the storage cannot be reached (${reason}): check --storage, that the database runs, and that it accepts connections from this machine`,
    { cause: problem },
  )
}
