/** Database sessions that hold locks: connections that run one query at a time, each with a time limit. */
import pg from 'pg'
import { Problem } from '#errors'

/**
 * Ends a session and its locks within 20 s after its client vanished, and overrides the operator's limits for
 * queries and idle sessions. Skips settings that this PostgreSQL does not know.
 */
const settings = {
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '2',
  tcp_user_timeout: '20000',
  statement_timeout: '0',
  lock_timeout: '0',
  idle_session_timeout: '0',
}
const sessionSetup = `select set_config(name, value, false) from (values ${Object.entries(settings)
  .map(([name, value]) => `('${name}', '${value}')`)
  .join(', ')}) as wanted(name, value) where name in (select name from pg_settings)`

export const connectionLost = (cause?: unknown): Problem =>
  new Problem('unavailable', 'the connection to the storage was lost meanwhile; try again', { cause })

export interface Session {
  pid: number
  /** Runs one query after another. `msMax` limits the answer; 0: no limit. Throws 503. */
  ask(query: string, number?: string, msMax?: number): Promise<unknown>
  /** Returns the connection to the pool; closes it if it is broken. */
  end(isBroken: boolean): void
}

/** Creates a pool of `max` connections for sessions. `answerMs` limits their setup. */
export const createSessionPool = (connection: pg.PoolConfig, max: number, answerMs: number): pg.Pool => {
  const pool = new pg.Pool({
    ...connection,
    max,
    async onConnect(client) {
      await client.query(withTimeout(sessionSetup, [], answerMs))
    },
  })
  pool.on('error', () => {})
  pool.on('connect', client => client.on('error', () => {}))
  return pool
}

/** Takes a connection from the pool. Calls `onBroken` when it breaks. Throws 503. */
export const openSession = async (
  pool: pg.Pool,
  answerMs: number,
  onBroken: () => void = () => {},
): Promise<Session> => {
  const client = await pool.connect().catch(cause => {
    throw connectionLost(cause)
  })
  const events = ['error', 'end'] as const
  for (const event of events) client.on(event, onBroken)
  let previous: Promise<unknown> = Promise.resolve()
  let brokenBy: unknown
  const ask: Session['ask'] = async (text, number, msMax = answerMs) => {
    const result = previous.then(() => {
      // A query on a connection that did not answer would wait just as long.
      if (brokenBy !== undefined) throw brokenBy
      return client.query<{ value: unknown }>(withTimeout(text, number ? [number] : [], msMax))
    })
    previous = result.catch(cause => {
      brokenBy ??= cause
    })
    const { rows } = await result.catch(cause => {
      onBroken()
      throw connectionLost(cause)
    })
    return rows[0]?.value
  }
  const end = (isBroken: boolean) => {
    for (const event of events) client.off(event, onBroken)
    client.release(isBroken)
  }
  try {
    return { pid: Number(await ask('select pg_backend_pid() as value')), ask, end }
  } catch (error) {
    end(true)
    throw error
  }
}

/** The client library's types lack the time limit. */
const withTimeout = (
  text: string,
  values: string[],
  msMax: number,
): pg.QueryConfig & { query_timeout: number } => ({
  text,
  values,
  query_timeout: msMax,
})
