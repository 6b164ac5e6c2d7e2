/**
 * Searches of logs. They may read millions of rows before they find enough, so on SQLite they run in a thread with a connection of its own:
 * queries, tokens and changes don't wait for them (https://sqlite.org/wal.html).
 */
import { Worker } from 'node:worker_threads'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { Problem } from '#errors'
import type { Tables } from './tables.ts'

/** Searches that run or wait. */
export const logSearchesMax = 64
/** An idle thread ends after this time, which frees its memory. */
const idleMs = 60_000

/** Message to the thread. */
export interface LogSearch {
  id: number
  sql: string
  parameters: readonly unknown[]
}
/** Reply of the thread, one for each search. */
export type LogSearchReply = { id: number; rows: unknown[] } | { id: number; error: string }

interface Waiting {
  resolve(rows: unknown[]): void
  reject(error: Error): void
}

/**
 * Opens a read-only connection to an SQLite file for searches of logs. Its thread starts with the first search. Throws Problem `overloaded`
 * if too many searches wait.
 */
export const openLogSearches = (file: string): Kysely<Tables> => {
  const thread = createThread(file)
  const connection: DatabaseConnection = {
    // The thread returns the rows of the statement, whose type Kysely knows.
    executeQuery: async <Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> => ({
      rows: (await thread.search(sql, parameters)) as Row[],
    }),
    streamQuery: refuse,
  }
  const driver: Driver = {
    init: async () => {},
    acquireConnection: async () => connection,
    releaseConnection: async () => {},
    beginTransaction: refuse,
    commitTransaction: refuse,
    rollbackTransaction: refuse,
    destroy: () => thread.close(),
  }
  return new Kysely<Tables>({
    dialect: {
      createDriver: () => driver,
      createQueryCompiler: () => new SqliteQueryCompiler(),
      createAdapter: () => new ConcurrentAdapter(),
      createIntrospector: db => new SqliteIntrospector(db),
    },
  })
}

/** Kysely would let statements wait for each other, unbounded. */
class ConcurrentAdapter extends SqliteAdapter {
  override get supportsMultipleConnections() {
    return true
  }
}

const refuse = (): never => {
  throw new Error('searches of logs are single statements')
}

const createThread = (file: string) => {
  const waiting = new Map<number, Waiting>()
  let worker: Worker | undefined
  let idleTimer: NodeJS.Timeout | undefined
  let lastId = 0

  const end = async (reason: Error): Promise<void> => {
    const ending = worker
    worker = undefined
    clearTimeout(idleTimer)
    for (const { reject } of waiting.values()) reject(reason)
    waiting.clear()
    await ending?.terminate()
  }

  const settle = (reply: LogSearchReply): void => {
    const search = waiting.get(reply.id)
    waiting.delete(reply.id)
    if ('error' in reply) search?.reject(new Error(`a search of a log failed: ${reply.error}`))
    else search?.resolve(reply.rows)
    if (waiting.size > 0) return
    worker?.unref()
    idleTimer = setTimeout(() => void end(new Error('the thread for searches was idle')), idleMs).unref()
  }

  const start = (): Worker => {
    const started = new Worker(new URL(import.meta.resolve('#storage/log-searches-thread')), {
      workerData: { file },
    })
    started.on('message', (reply: LogSearchReply) => {
      // `node --watch` also sends messages through this channel.
      if ('id' in reply) settle(reply)
    })
    started.on('error', error => {
      if (worker === started) void end(error)
    })
    return started
  }

  return {
    search: (sql: string, parameters: readonly unknown[]): Promise<unknown[]> =>
      new Promise((resolve, reject) => {
        if (waiting.size >= logSearchesMax) {
          reject(new Problem('overloaded', 'too many searches of logs wait; try again in a moment'))
          return
        }
        clearTimeout(idleTimer)
        lastId += 1
        waiting.set(lastId, { resolve, reject })
        worker ??= start()
        worker.ref()
        worker.postMessage({ id: lastId, sql, parameters } satisfies LogSearch)
      }),
    close: () => end(new Error('the storage was closed')),
  }
}
