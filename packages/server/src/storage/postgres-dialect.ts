/** PostgreSQL as this server uses it: every wait ends but that for a lock (locks.ts), and a database that is away is told as such. */
import { PostgresDialect, type PostgresPoolClient } from 'kysely'
import pg from 'pg'
import { Problem } from '#errors'

export interface PostgresSettings {
  /** Connection string. */
  connection: string
  schema?: string | undefined
  connectionsMax: number
  /** Of one statement; without it, and while a transaction waits for its next one, as long as it takes. */
  statementMsMax?: number
  /** Called when somebody told {@link changesChannel}, while a connection stands. */
  onTold?: () => void
  /** Handed the pool's numbers, to be read later. */
  onPool?: (pool: ConnectionCounts) => void
}

/** Of a pool, from memory. */
export type ConnectionCounts = Pick<pg.Pool, 'totalCount' | 'idleCount' | 'waitingCount'>

/** Who announced changes tells this channel, when they are committed. */
export const changesChannel = 'querent_changes'

const connectMsMax = 5_000
/** Beyond the statement's own time: the server's word comes first, and the connection stays. */
const answerMsMore = 1_000

/** PostgreSQL hands 64-bit integers over as text; ours are times and counters, far below 2^53. */
const int8 = 20

/** Of the system. */
const unreachable = new Set([
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
const unable = /^(08...|53300|57P0[1235]|57014|25006|25P03|40P01|55P03)$/
/** The client library's own have no code. */
const broken =
  /^(Connection terminated|Query read timeout|Client (has encountered|was closed)|timeout expired|timeout exceeded|Postgres connection has been discarded)/i

const isAway = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : undefined
  // Several addresses were tried.
  if (error instanceof AggregateError) return error.errors.some(isAway)
  return code === undefined ? broken.test(error.message) : unreachable.has(code) || unable.test(code)
}

const unreached = (cause: unknown): Problem =>
  new Problem('unavailable', 'the storage cannot be reached; try again shortly', { cause })

const inProblem = (error: unknown): unknown => (isAway(error) ? unreached(error) : error)

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
  statementMsMax,
  onTold,
  onPool,
}: PostgresSettings): PostgresDialect => {
  const pool = new pg.Pool({
    ...poolConfig({ connection, schema }),
    max: connectionsMax,
    ...(statementMsMax === undefined ? {} : { query_timeout: statementMsMax + answerMsMore }),
    async onConnect(client) {
      // One that breaks while a transaction holds it: the transaction's next query fails.
      client.on('error', () => {})
      // A node that vanished in a transaction holds its locks no longer than this.
      if (statementMsMax !== undefined)
        await client.query(
          `set statement_timeout = ${statementMsMax}; set idle_in_transaction_session_timeout = ${statementMsMax}`,
        )
      if (onTold) {
        client.on('notification', onTold)
        await client.query(`listen ${changesChannel}`)
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
        const client = await pool.connect().catch(cause => {
          throw unreached(cause)
        })
        let brokenBy: unknown
        const query = async (text: string, values: unknown[]) => {
          // What is asked next on a connection that did not answer would wait as long.
          if (brokenBy !== undefined) throw brokenBy
          try {
            return await client.query(text, values)
          } catch (error) {
            const told = inProblem(error)
            if (told !== error && !(error instanceof pg.DatabaseError)) brokenBy = told
            throw told
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
