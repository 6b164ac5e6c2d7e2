/** What the storage is asked, told as each statement ends: its kind, never its values. */
import type { LogEvent } from 'kysely'

export interface Statement {
  kind: 'sqlite' | 'postgres'
  /** The first word: `select`, `insert`. */
  verb: string
  ms: number
  failed: boolean
}

/** A log for Kysely that hands statements on. */
export const createStatementLog =
  (kind: Statement['kind'], onStatement: (statement: Statement) => void) =>
  ({ level, query, queryDurationMillis: ms }: LogEvent): void => {
    const [verb = ''] = /^\w+/.exec(query.sql) ?? []
    onStatement({ kind, verb, ms, failed: level === 'error' })
  }
