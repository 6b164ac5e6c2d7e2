import type { Engine } from '#engines/engine'

interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
}

/** Logs the rebuilds of search indexes, with their reason and their end. */
export const logRebuilds = (engine: Engine, log: Log): void =>
  engine.onRebuild(({ generation, documents, ...event }) => {
    const fields = { generation, documents }
    switch (event.state) {
      case 'started':
        return log.warn(
          fields,
          `rebuilding the search index of a generation from its documents: ${event.reason}`,
        )
      case 'failed':
        return log.warn(
          fields,
          `could not rebuild the search index of a generation, will retry: ${event.message}`,
        )
      case 'open-failed':
        return log.warn(
          { generation },
          `cannot open a generation, so requests for its collection get 503; the next request retries: ${event.message}`,
        )
      case 'done':
        return log.info(
          { ...fields, durationMs: Math.round(event.durationMs) },
          'rebuilt the search index of a generation',
        )
    }
  })
