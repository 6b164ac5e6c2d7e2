import type { Engine } from '#engines/engine'

interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
}

/** Writes into the log which indexes are being built again and why, and when they are done. */
export const logRebuilds = (engine: Engine, log: Log): void =>
  engine.onRebuild(({ generation, documents, ...event }) => {
    const fields = { generation, documents }
    switch (event.state) {
      case 'begun':
        return log.warn(
          fields,
          `the search index of a generation is being built again from its documents: ${event.reason}`,
        )
      case 'failed':
        return log.warn(
          fields,
          `the search index of a generation could not be built again; it is tried again: ${event.message}`,
        )
      case 'unopened':
        return log.warn(
          { generation },
          `a generation cannot be opened, so that its collection is answered 503; it is tried again when it is asked for: ${event.message}`,
        )
      case 'done':
        return log.info(
          { ...fields, durationMs: Math.round(event.durationMs) },
          'the search index of a generation is built again',
        )
    }
  })
