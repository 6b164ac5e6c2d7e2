/** Reads small form bodies of browsers. */
import type { IncomingMessage } from 'node:http'
import { Problem } from '#errors'

const formBytesMax = 16 * 1024

/** The first value of a repeated field counts. Throws Problem for another media type or more than 16 KiB. */
export const readForm = async (request: IncomingMessage): Promise<ReadonlyMap<string, string>> => {
  const type = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
  if (type !== 'application/x-www-form-urlencoded')
    throw new Problem('unsupported-media-type', 'send a form (application/x-www-form-urlencoded)')
  const tooLarge = () => new Problem('body-too-large', 'the form is longer than 16 KiB')
  if (Number(request.headers['content-length'] ?? 0) > formBytesMax) throw tooLarge()
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes > formBytesMax) throw tooLarge()
    chunks.push(chunk)
  }
  const fields = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(Buffer.concat(chunks).toString('utf8')))
    if (!fields.has(name)) fields.set(name, value)
  return fields
}
