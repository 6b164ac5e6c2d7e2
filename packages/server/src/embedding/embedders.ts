/**
 * The embedders that the operator configured: servers that turn texts into vectors, with the embeddings API that hosted and self-hosted
 * model servers share (https://platform.openai.com/docs/api-reference/embeddings).
 */
import { createPublicJsonPost, type PublicFetchOptions } from '#http/public-fetch'
import { type CircuitBreaker, createCircuitBreaker } from './circuit-breaker.ts'

export interface EmbedderSettings {
  /** Base address, such as `http://127.0.0.1:8080/v1`, without a trailing slash. */
  url: string
  model: string
  dimensions: number
  /** Sent as bearer token. */
  key?: string | undefined
  /** Texts of one request. */
  batchSize: number
  /** Time for one request. */
  timeLimitMs: number
}

/** The embedder gave no vectors. The message is for the log and never contains the key or a text. */
export class EmbedderError extends Error {
  /** `rejected`: it does not accept this text. `unavailable`: it may accept it later. */
  readonly kind: 'unavailable' | 'rejected'
  constructor(kind: EmbedderError['kind'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'EmbedderError'
    this.kind = kind
  }
}

export interface Embedder {
  name: string
  settings: EmbedderSettings
  /**
   * Returns the vector of each text, or the error for a text that the embedder rejects. `timeLimitMs` shortens the time limit of a
   * request. Throws {@link EmbedderError} `unavailable` if there are no vectors now. Texts that are too long for the model are cut.
   */
  embed(texts: readonly string[], timeLimitMs?: number): Promise<(Float32Array | EmbedderError)[]>
  /** Milliseconds until a request may be sent; 0: now. */
  pauseMs(): number
}

export type Embedders = ReadonlyMap<string, Embedder>

/** Creates the embedders by name. Requests reach private addresses only if `internalHosts` names their host. */
export const createEmbedders = (
  settings: Readonly<Record<string, EmbedderSettings>>,
  fetchOptions: Pick<PublicFetchOptions, 'internalHosts' | 'ca' | 'resolve'>,
): Embedders => {
  const post = createPublicJsonPost({ ...fetchOptions, httpToInternal: true })
  return new Map(
    Object.entries(settings).map(([name, one]) => [name, createEmbedder(name, one, post)] as const),
  )
}

type Post = ReturnType<typeof createPublicJsonPost>

const createEmbedder = (name: string, settings: EmbedderSettings, post: Post): Embedder => {
  const breaker = createCircuitBreaker()
  const request = (texts: readonly string[], timeLimitMs: number) =>
    requestVectors({ name, settings, post, breaker }, texts, timeLimitMs)
  const embed = async (
    texts: readonly string[],
    timeLimitMs = settings.timeLimitMs,
  ): Promise<(Float32Array | EmbedderError)[]> => {
    const { batchSize } = settings
    if (texts.length > batchSize)
      return [
        ...(await embed(texts.slice(0, batchSize), timeLimitMs)),
        ...(await embed(texts.slice(batchSize), timeLimitMs)),
      ]
    try {
      return await request(texts, timeLimitMs)
    } catch (error) {
      if (!(error instanceof EmbedderError) || error.kind !== 'rejected') throw error
      const [text = ''] = texts
      if (texts.length > 1) {
        // One text of the batch is at fault.
        const middle = Math.ceil(texts.length / 2)
        return [
          ...(await embed(texts.slice(0, middle), timeLimitMs)),
          ...(await embed(texts.slice(middle), timeLimitMs)),
        ]
      }
      return text.length > shortTextChars ? embed([firstHalf(text)], timeLimitMs) : [error]
    }
  }
  return { name, settings, embed, pauseMs: breaker.waitMs }
}

/** Every model accepts a text of this length. */
const shortTextChars = 400

/** Cuts a text that a model rejects, because it is too long. */
const firstHalf = (text: string): string =>
  text.slice(0, Math.ceil(text.length / 2)).replace(/[\ud800-\udbff]$/, '')

/** Statuses with which servers reject a text: malformed or empty, too large, too many tokens. */
const rejectedStatuses: ReadonlySet<number> = new Set([400, 413, 422])

/** JSON of one number of a vector, and of one vector without its numbers. */
const numberBytesMax = 32
const objectBytesMax = 1024

interface EmbedderService {
  name: string
  settings: EmbedderSettings
  post: Post
  breaker: CircuitBreaker
}

const requestVectors = async (
  { name, settings, post, breaker }: EmbedderService,
  texts: readonly string[],
  timeLimitMs: number,
): Promise<Float32Array[]> => {
  const { url, model, dimensions, key, timeLimitMs: ownLimitMs } = settings
  const waitMs = breaker.enter()
  if (waitMs > 0)
    throw new EmbedderError(
      'unavailable',
      `the embedder "${name}" failed; the next request is in ${Math.ceil(waitMs / 1000)} s`,
    )
  let retryAfterMs = 0
  try {
    const reply = await post(`${url}/embeddings`, {
      body: JSON.stringify({ model, input: texts }),
      headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
      replyBytesMax: texts.length * (dimensions * numberBytesMax + objectBytesMax) + objectBytesMax,
      timeLimitMs: Math.min(timeLimitMs, ownLimitMs),
    })
    if (rejectedStatuses.has(reply.status)) {
      breaker.succeed()
      throw new EmbedderError('rejected', `the embedder "${name}" rejects a text: status ${reply.status}`)
    }
    retryAfterMs = readRetryAfter(reply.retryAfter)
    if (reply.status !== 200) throw new Error(`status ${reply.status}`)
    const vectors = readVectors(reply.text, texts.length, dimensions)
    breaker.succeed()
    return vectors
  } catch (cause) {
    if (cause instanceof EmbedderError) throw cause
    breaker.fail(retryAfterMs)
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new EmbedderError('unavailable', `the embedder "${name}" failed: ${reason}`, { cause })
  }
}

/** Seconds or a date (RFC 9110, section 10.2.3). Returns 0 for anything else. */
const readRetryAfter = (text: string | undefined): number => {
  if (text === undefined) return 0
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  return Number.isFinite(ms) ? Math.max(0, ms) : 0
}

/** The engines store single precision. */
const componentMax = 3.4e38

/** Reads `{"data": [{"index": 0, "embedding": [number, …]}, …]}`. Throws an error that says what is wrong. */
const readVectors = (text: string, count: number, dimensions: number): Float32Array[] => {
  const data = readData(text)
  if (data?.length !== count) throw new Error(`its reply has ${data?.length ?? 'no'} vectors, not ${count}`)
  const vectors: (Float32Array | undefined)[] = Array.from({ length: count })
  for (const [position, item] of data.entries()) {
    const { index = position, embedding }: { index?: unknown; embedding?: unknown } =
      typeof item === 'object' && item !== null ? item : {}
    const vector = readVector(embedding, dimensions)
    if (typeof index === 'number') vectors[index] = vector
  }
  if (vectors.length !== count || vectors.includes(undefined)) throw new Error('its reply repeats an index')
  return vectors as Float32Array[]
}

const readData = (text: string): unknown[] | undefined => {
  let reply: unknown
  try {
    reply = JSON.parse(text)
  } catch {
    throw new Error('its reply is not JSON')
  }
  const data: unknown =
    typeof reply === 'object' && reply !== null && 'data' in reply ? reply.data : undefined
  return Array.isArray(data) ? data : undefined
}

const readVector = (embedding: unknown, dimensions: number): Float32Array => {
  if (!Array.isArray(embedding) || embedding.length !== dimensions)
    throw new Error(
      `its vectors have ${Array.isArray(embedding) ? embedding.length : 'no'} dimensions, not ${dimensions}`,
    )
  if (!embedding.every(number => typeof number === 'number' && Math.abs(number) <= componentMax))
    throw new Error('a vector has something that is not a number')
  return Float32Array.from(embedding)
}
