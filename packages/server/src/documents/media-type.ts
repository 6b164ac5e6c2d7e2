/** What a body may be (workspace-file.md, Documents). */
import type { IncomingHttpHeaders } from 'node:http'
import { Problem } from '#errors'

const mediaTypeOf = (headers: IncomingHttpHeaders): string =>
  (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''

const refuseEncoded = (headers: IncomingHttpHeaders): void => {
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    throw new Problem('unsupported-media-type', 'Content-Encoding is not taken here: send the body as it is')
}

const unknownType = (found: string, allowed: string): Problem =>
  new Problem(
    'unsupported-media-type',
    `Content-Type: found ${JSON.stringify(found.slice(0, 100))}, allowed: ${allowed}`,
  )

/** How the documents of a stream are written. Throws 415, or 400 by name for what a later version takes. */
export const streamFormat = (headers: IncomingHttpHeaders): 'lines' | 'array' => {
  refuseEncoded(headers)
  const type = mediaTypeOf(headers)
  if (type === 'application/x-ndjson') return 'lines'
  if (type === 'application/json') return 'array'
  if (type === 'text/csv')
    throw new Problem(
      'not-built-yet',
      'an import of text/csv is not built yet in this version: send application/x-ndjson or application/json',
    )
  throw unknownType(type, 'application/x-ndjson, application/json (and text/csv in a later version)')
}

/** Throws 415. */
export const refuseOtherDocuments = (headers: IncomingHttpHeaders): void => {
  refuseEncoded(headers)
  const type = mediaTypeOf(headers)
  if (type !== 'application/json') throw unknownType(type, 'application/json')
}
