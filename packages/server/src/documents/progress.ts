/** How far imports are that their clients gave a name: for whoever sends one, and has no reply before its end. */
import type { ImportProgress } from '@querent/contract/query'
import type { Storage } from '#storage/db'
import { findImport, saveImport } from '#storage/imports'

/** Of those that have ended; the longest ago is forgotten first. */
const rememberedMax = 200
/** Between two writings of one import's progress for other nodes. */
const tellEveryMs = 1000

/** Whose import into which collection. */
export interface Importer {
  workspace: { id: string }
  /** Of the collection. */
  name: string
  principal: { subject: string }
}

/** What the import itself counts. */
export interface Counting {
  /** Chunks of the body, counted. */
  reading(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>
  /** `documents` more were written. */
  wrote(documents: number): void
  /** What is written counts when all of it is, or not at all. */
  countsTogether(): void
  /** What was written does not count any more. */
  nothingKept(): void
}

export interface ImportsProgress {
  /** Runs an import; where its client gave it a name, `of` tells how far it is, and for a while how it ended. */
  follow<T>(
    importer: Importer,
    name: string | undefined,
    work: (counting: Counting) => Promise<T>,
  ): Promise<T>
  /** Of an import into the same collection by the same account; on whichever node. */
  of(importer: Importer, name: string): Promise<ImportProgress>
}

interface Underway extends ImportProgress {
  isTogether: boolean
}

interface Ended extends ImportProgress {
  /** Other nodes could not be told. */
  isUntold?: boolean
}

/** `counted` is told of every document that was written; `shared`: where other nodes read how far an import is. */
export const openImportsProgress = (
  counted = { documents: 0 },
  shared?: Pick<Storage, 'db' | 'kind'>,
): ImportsProgress => {
  const running = new Map<string, Underway>()
  const ended = new Map<string, Ended>()
  const keyOf = ({ workspace, name: collection, principal }: Importer, name: string) =>
    JSON.stringify([workspace.id, collection, principal.subject, name])
  const remember = (key: string, progress: Ended) => {
    ended.delete(key)
    ended.set(key, progress)
    const [oldest] = ended.keys()
    if (ended.size > rememberedMax && oldest !== undefined) ended.delete(oldest)
  }
  return {
    async follow(importer, name, work) {
      const progress: Underway = { state: 'running', bytes: 0, documents: 0, isTogether: false }
      const key = name === undefined ? undefined : keyOf(importer, name)
      if (key !== undefined) running.set(key, progress)
      const telling = name === undefined || !shared ? undefined : tell(shared, importer, name, progress)
      let state: 'broken' | 'complete' = 'broken'
      try {
        const done = await work(countingIn(progress, counted))
        state = 'complete'
        return done
      } finally {
        if (key !== undefined) {
          if (running.get(key) === progress) running.delete(key)
          const { bytes, documents } = progress
          const end: Ended = { state, bytes, documents }
          remember(key, end)
          if (telling && !(await telling.end(state))) end.isUntold = true
        }
      }
    },
    async of(importer, name) {
      const key = keyOf(importer, name)
      const here = running.get(key)
      if (here) return { state: here.state, bytes: here.bytes, documents: here.documents }
      // One that ended here may run again elsewhere.
      const elsewhere = shared && (await findImport(shared, rowOf(importer, name)))
      const { isUntold, ...end } = ended.get(key) ?? { state: 'unknown', bytes: 0, documents: 0 }
      // What was not told of its end looks broken to whoever reads what was told.
      return elsewhere && !(isUntold && elsewhere.state === 'broken') ? elsewhere : end
    },
  }
}

const rowOf = ({ workspace, name: collection, principal }: Importer, name: string) => ({
  workspace_id: workspace.id,
  collection,
  subject: principal.subject,
  name,
})

/** Writes down how far it is, now and each second; one writing after another. A storage that is away is told another time. */
const tell = (
  shared: Pick<Storage, 'db' | 'kind'>,
  importer: Importer,
  name: string,
  progress: Readonly<Underway>,
) => {
  let isWriting = false
  let last: Promise<boolean> = Promise.resolve(true)
  const write = (state: Exclude<ImportProgress['state'], 'unknown'>): Promise<boolean> => {
    const { bytes, documents, isTogether } = progress
    const kept = isTogether ? 0 : documents
    isWriting = true
    last = last
      .then(() => saveImport(shared, rowOf(importer, name), { state, bytes, documents, kept }))
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
  }, tellEveryMs)
  return {
    /** False: it could not be written down. */
    end(state: 'complete' | 'broken'): Promise<boolean> {
      clearInterval(timer)
      return write(state)
    },
  }
}

const countingIn = (progress: Underway, counted: { documents: number }): Counting => ({
  async *reading(body) {
    for await (const chunk of body) {
      progress.bytes += chunk.length
      yield chunk
    }
  },
  wrote(documents) {
    progress.documents += documents
    counted.documents += documents
  },
  countsTogether() {
    progress.isTogether = true
  },
  nothingKept() {
    progress.documents = 0
  },
})
