/**
 * PostgreSQL for this server: every wait has a limit, except for locks (locks.ts), and an unreachable
 * database gives its own error.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { PostgresDialect, type PostgresPoolClient } from 'kysely'
import pg from 'pg'
import { Problem } from '#errors'

export interface PostgresSettings {
  /** Connection string. */
  connection: string
  schema?: string | undefined
  connectionsMax: number
  /**
   * Limit of a step: a single statement or a whole transaction, including waits for a connection and for
   * locks. Without it a step has no limit.
   */
  stepMsMax?: number
  /** Called on a notification in {@link changesChannel} while connected. */
  onNotification?: () => void
  /** Receives the pool, to read its counts later. */
  onPool?: (pool: ConnectionCounts) => void
}

/** Counts of a pool, from memory. */
export type ConnectionCounts = Pick<pg.Pool, 'totalCount' | 'idleCount' | 'waitingCount'>

/** Channel notified when announced changes are committed. */
export const changesChannel = 'querent_changes'

const connectMsMax = 5_000
/**
 * Without a reply for this long, a lookup is sent once more on a new connection: its own may hang, for example after a firewall has
 * forgotten it. Shorter than the silence after which the change feed counts the storage as away.
 */
const slowLookupMs = 1_000
/**
 * PostgreSQL ends a statement this long before the step ends, so that its reply arrives in time and the
 * connection survives.
 */
const answerMs = 500

/** PostgreSQL returns 64-bit integers as text; ours are times and counters, far below 2^53. */
const int8 = 20

/** Error codes of the operating system. */
const unreachableCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
])
/**
 * Error codes of PostgreSQL (https://www.postgresql.org/docs/current/errcodes-appendix.html): broken or too
 * many connections, a server that stops, starts or is read-only, statements that timed out or were canceled
 * because of a deadlock.
 */
const unavailableStates = /^(08...|53300|57P0[1235]|57014|25006|25P03|40P01|55P03)$/
/** Errors of the client library have no code. */
const brokenMessages =
  /^(Connection terminated|Query read timeout|Client (has encountered|was closed)|timeout expired|timeout exceeded|Postgres connection has been discarded)/i

const isUnavailable = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : undefined
  // Several addresses were tried.
  if (error instanceof AggregateError) return error.errors.some(isUnavailable)
  return code === undefined
    ? brokenMessages.test(error.message)
    : unreachableCodes.has(code) || unavailableStates.test(code)
}

const storageUnreachable = (cause: unknown): Problem =>
  new Problem('unavailable', 'the storage cannot be reached; try again shortly', { cause })

const translateError = (error: unknown): unknown => (isUnavailable(error) ? storageUnreachable(error) : error)

/** Options of a connection pool. */
export const poolConfig = ({
  connection,
  schema,
}: {
  connection: string
  schema?: string | undefined
}): pg.PoolConfig => ({
  connectionString: connection,
  connectionTimeoutMillis: connectMsMax,
  // The operating system detects a connection whose other end vanished.
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  ...(schema === undefined ? {} : { options: `-c search_path=${schema}` }),
  types: {
    getTypeParser: (oid, format) => (oid === int8 ? Number : pg.types.getTypeParser(oid, format)),
  },
})

/** Creates the dialect over a connection pool; Kysely closes it. */
export const postgresDialect = ({
  connection,
  schema,
  connectionsMax,
  stepMsMax,
  onNotification,
  onPool,
}: PostgresSettings): PostgresDialect => {
  const pool = new pg.Pool({
    ...poolConfig({ connection, schema }),
    max: connectionsMax,
    async onConnect(client) {
      // If it breaks inside a transaction, the next query of the transaction fails.
      client.on('error', () => {})
      // A node that vanished inside a transaction holds its locks no longer than this.
      if (stepMsMax !== undefined) {
        const statementMs = stepMsMax - answerMs
        await client.query(
          withTimeout(
            `set statement_timeout = ${statementMs}; set idle_in_transaction_session_timeout = ${stepMsMax}`,
            stepMsMax,
          ),
        )
      }
      if (onNotification) {
        client.on('notification', onNotification)
        await client.query(withTimeout(`listen ${changesChannel}`, stepMsMax))
      }
    },
  })
  // The pool replaces a connection that breaks while idle; without a listener it would end the process.
  pool.on('error', () => {})
  onPool?.(pool)
  let secondLookups = 0
  /** Returns the reply to a lookup, or that of a new connection, whichever comes first. `onHang` is called for the latter. */
  const orOnNewConnection = async (
    reply: Promise<pg.QueryResult>,
    statement: pg.QueryConfig,
    onHang: () => void,
  ): Promise<pg.QueryResult> => {
    const replied = new AbortController()
    const lookUpAgain = async () => {
      await wait(slowLookupMs, undefined, { signal: replied.signal, ref: false })
      if (secondLookups >= connectionsMax) return reply
      secondLookups++
      const client = new pg.Client(poolConfig({ connection, schema }))
      client.on('error', () => {})
      try {
        await client.connect()
        const result = await client.query(statement)
        if (!replied.signal.aborted) onHang()
        return result
      } finally {
        secondLookups--
        await client.end()
      }
    }
    try {
      return await Promise.race([reply, lookUpAgain().catch(() => reply)])
    } finally {
      replied.abort()
    }
  }
  return new PostgresDialect({
    pool: {
      options: pool.options,
      async connect() {
        const endsAt = performance.now() + (stepMsMax ?? Number.POSITIVE_INFINITY)
        const client = await pool.connect().catch(cause => {
          throw storageUnreachable(cause)
        })
        let brokenBy: unknown
        let isInTransaction = false
        const send = (text: string, values: unknown[]): Promise<pg.QueryResult> => {
          const leftMs = endsAt - performance.now()
          // The transaction has timed out. Closing the connection rolls it back on the server.
          if (leftMs <= 0) throw new Error('Query read timeout')
          isInTransaction ||= /^(begin|start transaction)\b/i.test(text)
          const statement = withTimeout(text, stepMsMax === undefined ? undefined : leftMs, values)
          const reply = client.query(statement)
          if (isInTransaction || stepMsMax === undefined || !isLookup(text)) return reply
          return orOnNewConnection(reply, statement, () => {
            // Its transaction-free connection is closed, not reused.
            brokenBy = storageUnreachable(new Error('Query read timeout'))
          })
        }
        const query = async (text: string, values: unknown[]) => {
          // A query on a connection that did not answer would wait just as long.
          if (brokenBy !== undefined) throw brokenBy
          try {
            return await send(text, values)
          } catch (error) {
            const translated = translateError(error)
            if (translated !== error && !(error instanceof pg.DatabaseError)) brokenBy = translated
            throw translated
          }
        }
        return {
          // Cursors are not used.
          query: query as unknown as PostgresPoolClient['query'],
          release: (destroy?: boolean) => client.release(destroy === true || brokenBy !== undefined),
        }
      },
      end: () => pool.end(),
    },
  })
}

/** Whether a statement only reads, so that it may run twice. */
const isLookup = (text: string): boolean =>
  /^select\b/i.test(text) && !/\b(pg_|for update|for share|nextval)/i.test(text)

/** A query whose reply must arrive within `msMax`; the client library's types lack that setting. */
const withTimeout = (
  text: string,
  msMax: number | undefined,
  values?: unknown[],
): pg.QueryConfig & { query_timeout?: number } => ({
  text,
  ...(values ? { values } : {}),
  ...(msMax === undefined ? {} : { query_timeout: Math.ceil(msMax) }),
})
