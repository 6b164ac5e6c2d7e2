/**
 * Vectors of the texts of queries. Texts that arrive together share a request, and vectors are cached, so that a text that many people
 * search for is embedded once.
 */
import { LRUCache } from 'lru-cache'
import { type Embedder, EmbedderError, type Embedders } from './embedders.ts'

/** Memory of the cache: 5,000 vectors of 1,536 dimensions, or 20,000 of 384. */
const cacheBytesMax = 32 * 1024 * 1024
/** Memory of an entry besides its vector and its text. */
const entryBytes = 200
/** Requests of one embedder at once. */
const requestsMax = 4
/** Texts of one embedder that wait for a request. */
const waitingMax = 1_000

export interface QueryVectors {
  /**
   * Returns the vector of a text within `timeLimitMs`. Throws {@link EmbedderError}, also if no embedder has that name or its vectors have
   * other dimensions.
   */
  find(embedder: string, dimensions: number, text: string, timeLimitMs: number): Promise<Float32Array>
  /** Identifies the model of an embedder: replies depend on it. */
  model(embedder: string): string
}

export const createQueryVectors = (embedders: Embedders): QueryVectors => {
  const cache = new LRUCache<string, Float32Array>({
    maxSize: cacheBytesMax,
    sizeCalculation: (vector, key) => vector.byteLength + 2 * key.length + entryBytes,
  })
  const batchers = new Map([...embedders].map(([name, embedder]) => [name, createBatcher(embedder)]))
  return {
    async find(name, dimensions, text, timeLimitMs) {
      const embedder = embedders.get(name)
      const batcher = batchers.get(name)
      if (!embedder || !batcher) throw new EmbedderError('unavailable', `no embedder is named "${name}"`)
      if (embedder.settings.dimensions !== dimensions)
        throw new EmbedderError(
          'unavailable',
          `the vectors of the embedder "${name}" have ${embedder.settings.dimensions} dimensions, not ${dimensions}`,
        )
      const key = JSON.stringify([name, text])
      const cached = cache.get(key)
      if (cached) return cached
      const vector = await withTimeLimit(batcher(text, timeLimitMs), timeLimitMs, name)
      cache.set(key, vector)
      return vector
    },
    model: name => embedders.get(name)?.settings.model ?? '',
  }
}

interface WaitingText extends PromiseWithResolvers<Float32Array> {
  text: string
  timeLimitMs: number
}

/** Returns a function that embeds a text together with others. Equal texts that wait are one. */
const createBatcher = (embedder: Embedder) => {
  const waiting = new Map<string, WaitingText>()
  let requests = 0
  const run = async (batch: readonly WaitingText[]) => {
    try {
      const limitMs = Math.max(...batch.map(({ timeLimitMs }) => timeLimitMs))
      const results = await embedder.embed(
        batch.map(({ text }) => text),
        limitMs,
      )
      for (const [index, { resolve, reject }] of batch.entries()) {
        const result = results[index]
        if (result instanceof Float32Array) resolve(result)
        else reject(result)
      }
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }
  const start = () => {
    while (requests < requestsMax && waiting.size > 0) {
      const batch = [...waiting.values()].slice(0, embedder.settings.batchSize)
      for (const { text } of batch) waiting.delete(text)
      requests += 1
      void run(batch).finally(() => {
        requests -= 1
        start()
      })
    }
  }
  return (text: string, timeLimitMs: number): Promise<Float32Array> => {
    const existing = waiting.get(text)
    if (existing) return existing.promise
    if (waiting.size >= waitingMax)
      return Promise.reject(
        new EmbedderError('unavailable', `too many texts wait for the embedder "${embedder.name}"`),
      )
    const entry: WaitingText = { ...Promise.withResolvers<Float32Array>(), text, timeLimitMs }
    waiting.set(text, entry)
    // After this turn, so that the texts of one batch of queries share a request.
    queueMicrotask(start)
    return entry.promise
  }
}

const withTimeLimit = <T>(work: Promise<T>, ms: number, name: string): Promise<T> => {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(
    () =>
      reject(
        new EmbedderError('unavailable', `the embedder "${name}" took longer than ${Math.round(ms)} ms`),
      ),
    ms,
  )
  return Promise.race([work, promise]).finally(() => clearTimeout(timer))
}
