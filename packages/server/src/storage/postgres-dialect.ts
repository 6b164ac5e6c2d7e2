/** PostgreSQL as this server uses it: every wait ends but that for a lock (locks.ts), and a database that is away is told as such. */
import { PostgresDialect, type PostgresPoolClient } from 'kysely'
import pg from 'pg'
import { Problem } from '#errors'

export interface PostgresSettings {
  /** Connection string. */
  connection: string
  schema?: string | undefined
  connectionsMax: number
  /**
   * For one step: a statement by itself or a whole transaction, with its wait for a connection and for locks, until its last reply. Without
   * it a step takes as long as it takes.
   */
  stepMsMax?: number
  /** Called when somebody told {@link changesChannel}, while a connection stands. */
  onNotification?: () => void
  /** Handed the pool's numbers, to be read later. */
  onPool?: (pool: ConnectionCounts) => void
}

/** Of a pool, from memory. */
export type ConnectionCounts = Pick<pg.Pool, 'totalCount' | 'idleCount' | 'waitingCount'>

/** Who announced changes tells this channel, when they are committed. */
export const changesChannel = 'querent_changes'

const connectMsMax = 5_000
/** PostgreSQL ends a statement so much before its step ends: its reply arrives in time, and the connection stays. */
const answerMs = 500

/** PostgreSQL hands 64-bit integers over as text; ours are times and counters, far below 2^53. */
const int8 = 20

/** Of the system. */
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
 * Of PostgreSQL (https://www.postgresql.org/docs/current/errcodes-appendix.html): broken connections, too many of them, a server that stops or
 * starts, one that takes no writes, a statement that took too long or was ended because another waits for it.
 */
const unavailableStates = /^(08...|53300|57P0[1235]|57014|25006|25P03|40P01|55P03)$/
/** The client library's own have no code. */
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

/** How a pool of connections is opened. */
export const poolConfig = ({
  connection,
  schema,
}: {
  connection: string
  schema?: string | undefined
}): pg.PoolConfig => ({
  connectionString: connection,
  connectionTimeoutMillis: connectMsMax,
  // A connection whose other end is gone without a word is noticed by the operating system.
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  ...(schema === undefined ? {} : { options: `-c search_path=${schema}` }),
  types: {
    getTypeParser: (oid, format) => (oid === int8 ? Number : pg.types.getTypeParser(oid, format)),
  },
})

/** The dialect over a pool of connections; Kysely closes it. */
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
      // One that breaks while a transaction holds it: the transaction's next query fails.
      client.on('error', () => {})
      // A node that vanished in a transaction holds its locks no longer than this.
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
  // A connection that breaks while idle is replaced by the pool; without a listener it would end the process.
  pool.on('error', () => {})
  onPool?.(pool)
  return new PostgresDialect({
    pool: {
      options: pool.options,
      async connect() {
        const endsAt = performance.now() + (stepMsMax ?? Number.POSITIVE_INFINITY)
        const client = await pool.connect().catch(cause => {
          throw storageUnreachable(cause)
        })
        let brokenBy: unknown
        const query = async (text: string, values: unknown[]) => {
          // What is asked next on a connection that did not answer would wait as long.
          if (brokenBy !== undefined) throw brokenBy
          const leftMs = endsAt - performance.now()
          try {
            // A transaction is over then: it must be taken back on the server too, so its connection ends.
            if (leftMs <= 0) throw new Error('Query read timeout')
            return await client.query(withTimeout(text, stepMsMax === undefined ? undefined : leftMs, values))
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

/** A query whose reply must arrive within `msMax`; the client library's types leave that setting out. */
const withTimeout = (
  text: string,
  msMax: number | undefined,
  values?: unknown[],
): pg.QueryConfig & { query_timeout?: number } => ({
  text,
  ...(values ? { values } : {}),
  ...(msMax === undefined ? {} : { query_timeout: Math.ceil(msMax) }),
})
