/** Bodies read by hand, so that they stream, and so that a refusal does not wait for their end. */
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { Problem } from '#errors'
import { isGzip } from './media-type.ts'

/** After a refusal the rest is read and thrown away for so long: a client that is still sending would otherwise miss the answer. */
const drainMs = 10_000

/** So long nothing may come: who sends slower holds an import that others could have. */
const idleMsDefault = 60_000

/**
 * Chunks of the body. Leaving the loop early leaves the connection open for the reply. Throws 400 when the connection ends before the
 * body, and 408 when nothing of it comes for `idleMs`; while its chunks are being worked on no time passes.
 */
export async function* readBody(request: IncomingMessage, idleMs = idleMsDefault): AsyncGenerator<Buffer> {
  // Without an encoding set a request gives Buffers.
  const chunks = request.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>
  let giveUp: ((reason: Problem) => void) | undefined
  const timer = setTimeout(() => {
    giveUp?.(
      new Problem(
        'request-timeout',
        `nothing of the body came for ${idleMs / 1000} s, so it was ended there`,
        {
          headers: { connection: 'close' },
        },
      ),
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
    // It may be waiting for a chunk that never comes: then it ends with the request.
    void chunks.return?.().catch(() => {})
  }
}

const endedEarly = (cause?: unknown): Problem =>
  new Problem('bad-request', 'the connection ended before the body did', { cause })

/** The same, decompressed if `Content-Encoding` is gzip. Throws 400 `bad-documents` for a body that is not. */
export const readDecodedBody = (request: IncomingMessage, idleMs?: number): AsyncGenerator<Buffer> => {
  const body = readBody(request, idleMs)
  return isGzip(request.headers) ? decompress(body) : body
}

async function* decompress(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip()
  const fed = pipeline(Readable.from(body, { objectMode: false }), gunzip)
  // Reading throws the same.
  fed.catch(() => {})
  try {
    yield* gunzip as AsyncIterable<Buffer>
  } catch (error) {
    const isDamaged = error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')
    if (!isDamaged) throw error
    throw new Problem('bad-documents', `the body is not gzip, or is cut off: ${error.message}`)
  }
}

/** The whole body, decompressed. Throws 413 beyond `bytesMax`. */
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

/** Throws away what is still to come of a body that was answered. */
export const drain = (request: IncomingMessage): void => {
  if (request.complete || request.destroyed) return
  request.resume()
  const timer = setTimeout(() => request.destroy(), drainMs).unref()
  const stop = () => clearTimeout(timer)
  request.once('end', stop).once('close', stop)
}
