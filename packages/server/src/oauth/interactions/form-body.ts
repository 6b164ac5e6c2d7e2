/** Reads the forms of the pages. */
import type { IncomingMessage } from 'node:http'
import { isStorable } from '@querent/contract/storable-text'
import { Problem } from '#errors'

export const formBytesMax = 16 * 1024

export const isFormType = ({ headers }: IncomingMessage): boolean =>
  headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() === 'application/x-www-form-urlencoded'

/** Throws Problem for more than 16 KiB. */
export const readBody = async (request: IncomingMessage): Promise<Buffer> => {
  const tooLarge = () => new Problem('body-too-large', 'the form is longer than 16 KiB')
  if (Number(request.headers['content-length'] ?? 0) > formBytesMax) throw tooLarge()
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes > formBytesMax) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** The first value of a repeated field counts. */
export const parseForm = (text: string): ReadonlyMap<string, string> => {
  const fields = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(text)) if (!fields.has(name)) fields.set(name, value)
  return fields
}

/** Throws Problem for another media type, more than 16 KiB, or text that no storage keeps. */
export const readForm = async (request: IncomingMessage): Promise<ReadonlyMap<string, string>> => {
  if (!isFormType(request))
    throw new Problem('unsupported-media-type', 'send a form (application/x-www-form-urlencoded)')
  const fields = parseForm((await readBody(request)).toString('utf8'))
  // A browser sends no such character, and PostgreSQL fails on it.
  if (![...fields.values()].every(isStorable))
    throw new Problem('bad-request', 'a field of the form contains the character U+0000')
  return fields
}
