import type { Engine, RebuildEvent } from '#engines/engine'
import type { Storage } from '#storage/db'
import { findGenerationPlace } from '#storage/generations'

interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** Logs the rebuilds of search indexes, and collections that are down, with workspace, collection and reason. */
export const logRebuilds = (engine: Engine, storage: Pick<Storage, 'db'>, log: Log): void =>
  engine.onRebuild(event => {
    findGenerationPlace(storage.db, event.generation).then(
      place => logEvent(log, event, place ?? {}),
      () => logEvent(log, event, {}),
    )
  })

const logEvent = (log: Log, event: RebuildEvent, place: object): void => {
  const fields = { generation: event.generation, ...place }
  const { documents } = event
  const lines: Record<RebuildEvent['state'], () => void> = {
    started: () =>
      log.warn(
        { ...fields, documents },
        `rebuilding the search index of a generation from its documents: ${describe(event)}`,
      ),
    failed: () =>
      log.error(
        { ...fields, documents },
        `a collection is down: its search index cannot be rebuilt, will retry: ${describe(event)}`,
      ),
    'open-failed': () =>
      log.error(
        fields,
        `a collection is down: a generation cannot be opened, so requests for it get 503; will retry: ${describe(event)}`,
      ),
    done: () =>
      log.info(
        { ...fields, documents, ...('durationMs' in event && { durationMs: Math.round(event.durationMs) }) },
        'rebuilt the search index of a generation',
      ),
  }
  lines[event.state]()
}

const describe = (event: RebuildEvent): string =>
  'reason' in event ? event.reason : 'message' in event ? event.message : ''
