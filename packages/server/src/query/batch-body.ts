/** Reads the body of a batch. Queries do not pass through Fastify, which would read it otherwise. */
import type { IncomingMessage } from 'node:http'
import { Problem } from '#errors'

/** 20 of the longest URLs, and the JSON around them. */
const bodyBytesMax = 512 * 1024

/** Reads JSON. Throws 413, 415 or 400. The caller limits the time (`http/body-limit.ts`). */
export const readJsonBody = async (request: IncomingMessage): Promise<unknown> => {
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = request.headers
  if (!/^application\/json\s*(;|$)/i.test(type.trim()) || encoding !== 'identity')
    throw new Problem(
      'unsupported-media-type',
      'the body must be JSON without compression: send it as application/json',
    )
  if (Number(request.headers['content-length'] ?? 0) > bodyBytesMax) throw bodyTooLarge()
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size > bodyBytesMax) throw bodyTooLarge()
    chunks.push(chunk)
  }
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)))
  } catch {
    throw new Problem('bad-request', 'the body is not JSON in UTF-8')
  }
}

/** The rest of the body is not read, so the connection cannot be used again. */
const bodyTooLarge = (): Problem =>
  new Problem('body-too-large', `the body has more than ${bodyBytesMax / 1024} KiB: send fewer queries`, {
    headers: { connection: 'close' },
  })
