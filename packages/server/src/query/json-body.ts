/** Reads the body of a batch or of an MCP message. Queries do not pass through Fastify, which would read it otherwise. */
import type { IncomingMessage } from 'node:http'
import { Problem } from '#errors'
import type { QueryReply } from '#http/raw-reply'
import type { QueryService } from './query-context.ts'

/**
 * Reads JSON of at most `bytesMax` bytes. Throws 413, 415 or 400; such a request counts as one query of the account, so that its reply has
 * `RateLimit-*` headers too. The caller limits the time (`http/body-limit.ts`).
 */
export const readCountedBody = async (
  { limits }: Pick<QueryService, 'limits'>,
  reply: QueryReply,
  account: string,
  bytesMax: number,
): Promise<unknown> => {
  try {
    return await readJsonBody(reply.request, bytesMax)
  } catch (error) {
    limits.count(reply, account)
    throw error
  }
}

const readJsonBody = async (request: IncomingMessage, bytesMax: number): Promise<unknown> => {
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = request.headers
  if (!/^application\/json\s*(;|$)/i.test(type.trim()) || encoding !== 'identity')
    throw new Problem(
      'unsupported-media-type',
      'the body must be JSON without compression: send it as application/json',
    )
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw bodyTooLarge(bytesMax)
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size > bytesMax) throw bodyTooLarge(bytesMax)
    chunks.push(chunk)
  }
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)))
  } catch {
    throw new Problem('bad-request', 'the body is not JSON in UTF-8')
  }
}

/** The rest of the body is not read, so the connection cannot be used again. */
const bodyTooLarge = (bytesMax: number): Problem =>
  new Problem('body-too-large', `the body has more than ${bytesMax / 1024} KiB: send less at once`, {
    headers: { connection: 'close' },
  })
