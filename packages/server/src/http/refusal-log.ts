/** Keeps why requests were refused, off their path: bounded in number, sampled beyond that (query-service.md, "Why was I refused?"). */
import type { Storage } from '#storage/db'
import { pruneRefusals, type RefusalRow, saveRefusals } from '#storage/refusals'

export interface RefusalLog {
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

/** A path without what was asked for: values of parameters, and the query string, may say what someone looks for. */
export const withoutValues = (path: string): string => {
  const [segments = '', ...query] = path.split('?')
  const parts = segments.split('/')
  // Behind /4/{workspace}/api/{api}: /e/{endpoint}, and /p/{name}/{value}.
  for (let at = 5; at < parts.length; at += 1)
    if (parts[at] === 'e') at += 1
    else if (parts[at] === 'p') {
      at += 2
      if (parts[at]) parts[at] = '…'
    }
  return `${parts.join('/')}${query.length > 0 ? '?…' : ''}`
}

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
      const refusal = { ...recorded, path: withoutValues(recorded.path) }
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
