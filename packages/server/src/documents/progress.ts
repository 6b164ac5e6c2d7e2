/** How far imports are that their clients gave a name: for whoever sends one, and has no reply before its end. */
import type { ImportProgress } from '@querent/contract/query'

/** Of those that have ended; the longest ago is forgotten first. */
const rememberedMax = 200

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
  /** Of an import into the same collection by the same account. */
  of(importer: Importer, name: string): ImportProgress
}

/** `counted` is told of every document that was written. */
export const openImportsProgress = (counted = { documents: 0 }): ImportsProgress => {
  const running = new Map<string, ImportProgress>()
  const ended = new Map<string, ImportProgress>()
  const keyOf = ({ workspace, name: collection, principal }: Importer, name: string) =>
    JSON.stringify([workspace.id, collection, principal.subject, name])
  const remember = (key: string, progress: ImportProgress) => {
    ended.delete(key)
    ended.set(key, progress)
    const [oldest] = ended.keys()
    if (ended.size > rememberedMax && oldest !== undefined) ended.delete(oldest)
  }
  return {
    async follow(importer, name, work) {
      const progress: ImportProgress = { state: 'running', bytes: 0, documents: 0 }
      const key = name === undefined ? undefined : keyOf(importer, name)
      if (key !== undefined) running.set(key, progress)
      let state: ImportProgress['state'] = 'broken'
      try {
        const done = await work(countingIn(progress, counted))
        state = 'complete'
        return done
      } finally {
        if (key !== undefined) {
          if (running.get(key) === progress) running.delete(key)
          remember(key, { ...progress, state })
        }
      }
    },
    of(importer, name) {
      const key = keyOf(importer, name)
      return running.get(key) ?? ended.get(key) ?? { state: 'unknown', bytes: 0, documents: 0 }
    },
  }
}

const countingIn = (progress: ImportProgress, counted: { documents: number }): Counting => ({
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
  nothingKept() {
    progress.documents = 0
  },
})
