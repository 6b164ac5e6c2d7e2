/** Reads bodies as streams, so that a rejection need not wait for the end of the body. */
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { Problem } from '#errors'
import { isGzip } from './media-type.ts'

/**
 * After a rejection, the rest of the body is read and discarded for this long. A client that is still sending
 * would otherwise miss the reply.
 */
const drainMs = 10_000

/** How long the body may pause. A slow client occupies an import slot. */
const idleMsDefault = 60_000

/**
 * Yields the chunks of the body. Leaving the loop early keeps the connection open for the reply. Throws 400
 * if the connection ends before the body, and 408 if nothing arrives for `idleMs`; the time spent on a chunk
 * does not count.
 */
export async function* readBody(request: IncomingMessage, idleMs = idleMsDefault): AsyncGenerator<Buffer> {
  // A request without a set encoding yields Buffers.
  const chunks = request.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>
  let giveUp: ((reason: Problem) => void) | undefined
  const timer = setTimeout(() => {
    giveUp?.(
      new Problem('request-timeout', `no data of the body arrived for ${idleMs / 1000} s`, {
        headers: { connection: 'close' },
      }),
    )
  }, idleMs).unref()
  const next = () =>
    new Promise<IteratorResult<Buffer>>((resolve, reject) => {
      giveUp = reject
      timer.refresh()
      chunks.next().then(resolve, cause => reject(endedEarly(cause)))
    }).finally(() => {
      giveUp = undefined
    })
  try {
    for (let chunk = await next(); chunk.done !== true; chunk = await next()) yield chunk.value
    if (!request.complete) throw endedEarly()
  } finally {
    clearTimeout(timer)
    // The iterator may wait for a chunk that never comes; it then ends with the request.
    void chunks.return?.().catch(() => {})
  }
}

const endedEarly = (cause?: unknown): Problem =>
  new Problem('bad-request', 'the connection ended before the body did', { cause })

/** Like {@link readBody}, and decompresses gzip. Throws 400 `bad-documents` for invalid gzip. */
export const readDecodedBody = (request: IncomingMessage, idleMs?: number): AsyncGenerator<Buffer> => {
  const body = readBody(request, idleMs)
  return isGzip(request.headers) ? decompress(body) : body
}

async function* decompress(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip()
  const fed = pipeline(Readable.from(body, { objectMode: false }), gunzip)
  // Reading from gunzip throws the same error.
  fed.catch(() => {})
  try {
    yield* gunzip as AsyncIterable<Buffer>
  } catch (error) {
    const isDamaged = error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')
    if (!isDamaged) throw error
    throw new Problem('bad-documents', `the body is not valid gzip or is cut off: ${error.message}`)
  }
}

/** Reads the whole body, decompressed. Throws 413 beyond `bytesMax`. */
export const readWholeBody = async (
  request: IncomingMessage,
  bytesMax: number,
  idleMs?: number,
): Promise<Buffer> => {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of readDecodedBody(request, idleMs)) {
    bytes += chunk.length
    if (bytes > bytesMax) throw new Problem('body-too-large', `the body is larger than ${bytesMax} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Discards the rest of a body after the reply. */
export const drain = (request: IncomingMessage): void => {
  if (request.complete || request.destroyed) return
  // `resume` alone does nothing while a reader of the body is still ending.
  request.on('data', () => {})
  request.resume()
  const timer = setTimeout(() => request.destroy(), drainMs).unref()
  const stop = () => clearTimeout(timer)
  request.once('end', stop).once('close', stop)
}
