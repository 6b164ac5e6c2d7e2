/** Bodies read by hand, so that they stream, and so that a refusal does not wait for their end. */
import type { IncomingMessage } from 'node:http'
import { Problem } from '#errors'

/** After a refusal the rest is read and thrown away for so long: a client that is still sending would otherwise miss the answer. */
const drainMs = 10_000

/** Chunks of the body. Leaving the loop early leaves the connection open for the reply. Throws 400 when the connection ends before the body. */
export async function* readBody(request: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    // Without an encoding set a request gives Buffers.
    yield* request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>
  } catch (cause) {
    throw new Problem('bad-request', 'the connection ended before the body did', { cause })
  }
  if (!request.complete) throw new Problem('bad-request', 'the connection ended before the body did')
}

/** The whole body. Throws 413 beyond `bytesMax`. */
export const readWholeBody = async (request: IncomingMessage, bytesMax: number): Promise<Buffer> => {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of readBody(request)) {
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
