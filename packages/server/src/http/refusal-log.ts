/** Keeps why requests were refused, off their path: bounded in number, sampled beyond that (query-service.md, "Why was I refused?"). */
import type { Storage } from '#storage/db'
import { pruneRefusals, type RefusalRow, saveRefusals } from '#storage/refusals'
import { withoutValues } from './query-path.ts'

export interface RefusalLog {
  /** Of its path no values are kept; what its checks say has none. */
  record(refusal: RefusalRow): void
  /** Writes what is waiting; then a refusal recorded before can be found. */
  flush(): Promise<void>
  close(): Promise<void>
}

/** A burst larger than this between two writes is sampled: later ones replace earlier ones at random. */
const waitingMax = 1000
const keptMax = 100_000
const writeEveryMs = 500
const pruneEveryMs = 10 * 60 * 1000
const rowsAWrite = 100
/** Letters of a path that are kept. */
const pathMax = 500

export const openRefusalLog = (storage: Storage): RefusalLog => {
  let waiting: RefusalRow[] = []
  let seen = 0
  const write = async () => {
    const rows = waiting
    waiting = []
    seen = 0
    for (let at = 0; at < rows.length; at += rowsAWrite)
      await saveRefusals(storage.db, rows.slice(at, at + rowsAWrite))
  }
  let writing: Promise<void> = Promise.resolve()
  // Refusals are for people who ask later; storage that is away costs some of them and nothing else.
  const flush = () => {
    writing = writing.then(write).catch(() => {})
    return writing
  }
  const writer = setInterval(() => waiting.length > 0 && void flush(), writeEveryMs).unref()
  const pruner = setInterval(
    () => void pruneRefusals(storage.db, keptMax).catch(() => {}),
    pruneEveryMs,
  ).unref()
  return {
    record(recorded) {
      const refusal = { ...recorded, path: withoutValues(recorded.path).slice(0, pathMax) }
      seen += 1
      if (waiting.length < waitingMax) waiting.push(refusal)
      else {
        const place = Math.floor(Math.random() * seen)
        if (place < waitingMax) waiting[place] = refusal
      }
    },
    flush,
    async close() {
      clearInterval(writer)
      clearInterval(pruner)
      await flush()
    },
  }
}
