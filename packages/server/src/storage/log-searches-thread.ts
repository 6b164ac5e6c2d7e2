/** The thread of {@link openLogSearches}: runs one search at a time. */
import { parentPort, workerData } from 'node:worker_threads'
import Database from 'better-sqlite3'
import type { LogSearch, LogSearchReply } from './log-searches.ts'

// The storage starts this thread with its file.
const { file } = workerData as { file: string }
const database = new Database(file, { readonly: true })

parentPort?.on('message', ({ id, sql, parameters }: LogSearch) => {
  parentPort?.postMessage(search(id, sql, parameters))
})

const search = (id: number, sql: string, parameters: readonly unknown[]): LogSearchReply => {
  try {
    return { id, rows: database.prepare(sql).all(...parameters) }
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : String(error) }
  }
}
