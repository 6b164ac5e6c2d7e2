/** Progress of imports that their clients named, for clients that get no reply before the end. */
import type { ImportProgress } from '@querent/contract/query'
import type { Storage } from '#storage/db'
import { findImport, saveImport } from '#storage/imports'

/** Ended imports kept in memory; the oldest is dropped first. */
const rememberedMax = 200
/** Interval between progress reports to other nodes. */
const reportIntervalMs = 1000

/** Account and target of an import. */
export interface Importer {
  workspace: { id: string }
  /** Name of the collection. */
  name: string
  principal: { subject: string }
}

/** Counts what the import reads and writes. */
export interface ImportCounter {
  /** Passes the body through and counts its bytes. */
  countBytes(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>
  /** Documents that stay if the import ends now. */
  readonly documents: number
  /** Counts written documents. */
  addDocuments(documents: number): void
  /** Documents count only when all of them are written. */
  markAtomic(): void
  /** Discards the count of written documents. */
  reset(): void
}

export interface ImportsProgress {
  /** Runs an import. If it has a name, `get` returns its progress and, for a while, its outcome. */
  track<T>(
    importer: Importer,
    name: string | undefined,
    work: (counting: ImportCounter) => Promise<T>,
  ): Promise<T>
  /** Returns the progress of an import into this collection by this account, on any node. */
  get(importer: Importer, name: string): Promise<ImportProgress>
}

interface RunningImport extends ImportProgress {
  isAtomic: boolean
}

interface EndedImport extends ImportProgress {
  /** Other nodes could not be notified. */
  isUnreported?: boolean
}

/** Adds written documents to `totals`. Nodes share their progress through `shared`. */
export const createImportsProgress = (
  totals: { documents: number },
  shared?: Pick<Storage, 'db' | 'kind'>,
): ImportsProgress => {
  const runningImports = new Map<string, RunningImport>()
  const endedImports = new Map<string, EndedImport>()
  const memoryKey = ({ workspace, name: collection, principal }: Importer, name: string) =>
    JSON.stringify([workspace.id, collection, principal.subject, name])
  const remember = (key: string, progress: EndedImport) => {
    endedImports.delete(key)
    endedImports.set(key, progress)
    const [oldest] = endedImports.keys()
    if (endedImports.size > rememberedMax && oldest !== undefined) endedImports.delete(oldest)
  }
  return {
    async track(importer, name, work) {
      const progress: RunningImport = { state: 'running', bytes: 0, documents: 0, isAtomic: false }
      const key = name === undefined ? undefined : memoryKey(importer, name)
      if (key !== undefined) runningImports.set(key, progress)
      const report =
        name === undefined || !shared ? undefined : reportProgress(shared, importer, name, progress)
      let state: 'broken' | 'complete' = 'broken'
      try {
        const done = await work(createCounter(progress, totals))
        state = 'complete'
        return done
      } finally {
        if (key !== undefined) {
          if (runningImports.get(key) === progress) runningImports.delete(key)
          const { bytes, documents } = progress
          const end: EndedImport = { state, bytes, documents }
          remember(key, end)
          if (report && !(await report.end(state))) end.isUnreported = true
        }
      }
    },
    async get(importer, name) {
      const key = memoryKey(importer, name)
      const local = runningImports.get(key)
      if (local) return { state: local.state, bytes: local.bytes, documents: local.documents }
      // An import that ended here may run again on another node.
      const remote = shared && (await findImport(shared, importKey(importer, name)))
      const { isUnreported, ...end } = endedImports.get(key) ?? { state: 'unknown', bytes: 0, documents: 0 }
      // If the end of an import could not be reported, its last report looks broken.
      return remote && !(isUnreported && remote.state === 'broken') ? remote : end
    },
  }
}

const importKey = ({ workspace, name: collection, principal }: Importer, name: string) => ({
  workspace_id: workspace.id,
  collection,
  subject: principal.subject,
  name,
})

/**
 * Reports the progress now and every second, one write at a time. Retries later if the storage is
 * unreachable.
 */
const reportProgress = (
  shared: Pick<Storage, 'db' | 'kind'>,
  importer: Importer,
  name: string,
  progress: Readonly<RunningImport>,
) => {
  let isWriting = false
  let last: Promise<boolean> = Promise.resolve(true)
  const write = (state: Exclude<ImportProgress['state'], 'unknown'>): Promise<boolean> => {
    const { bytes, documents, isAtomic } = progress
    const keptDocuments = isAtomic ? 0 : documents
    isWriting = true
    last = last
      .then(() =>
        saveImport(shared, importKey(importer, name), { state, bytes, documents, kept: keptDocuments }),
      )
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        isWriting = false
      })
    return last
  }
  void write('running')
  const timer = setInterval(() => {
    if (!isWriting) void write('running')
  }, reportIntervalMs)
  return {
    /** Resolves to false if the report could not be written. */
    end(state: 'complete' | 'broken'): Promise<boolean> {
      clearInterval(timer)
      return write(state)
    },
  }
}

const createCounter = (progress: RunningImport, totals: { documents: number }): ImportCounter => ({
  get documents() {
    return progress.documents
  },
  async *countBytes(body) {
    for await (const chunk of body) {
      progress.bytes += chunk.length
      yield chunk
    }
  },
  addDocuments(documents) {
    progress.documents += documents
    totals.documents += documents
  },
  markAtomic() {
    progress.isAtomic = true
  },
  reset() {
    progress.documents = 0
  },
})
