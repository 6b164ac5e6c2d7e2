/** What a body may be (workspace-file.md, Documents). */
import type { IncomingHttpHeaders } from 'node:http'
import { Problem } from '#errors'

/** In small letters, without parameters. Throws 415 for another charset than that of JSON (RFC 8259, section 8.1). */
const mediaTypeOf = (headers: IncomingHttpHeaders): string => {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').split(';')
  for (const parameter of parameters) {
    const [name = '', value = ''] = parameter.split('=', 2)
    const charset = value.trim().replaceAll('"', '')
    if (name.trim().toLowerCase() === 'charset' && !/^utf-?8$/i.test(charset))
      throw new Problem(
        'unsupported-media-type',
        `Content-Type: found charset ${JSON.stringify(charset.slice(0, 100))}, allowed: utf-8`,
      )
  }
  return type.trim().toLowerCase()
}

const contentEncoding = (headers: IncomingHttpHeaders): string =>
  (headers['content-encoding'] ?? 'identity').trim().toLowerCase()

/** RFC 9110, section 8.4.1.3: `x-gzip` is the same. */
export const isGzip = (headers: IncomingHttpHeaders): boolean =>
  ['gzip', 'x-gzip'].includes(contentEncoding(headers))

/** The 415 names the encodings that are allowed (RFC 9110, section 15.5.16). */
const refuseOtherEncodings = (headers: IncomingHttpHeaders): void => {
  if (isGzip(headers) || contentEncoding(headers) === 'identity') return
  throw new Problem(
    'unsupported-media-type',
    `Content-Encoding: found ${JSON.stringify(contentEncoding(headers).slice(0, 100))}, allowed: gzip, or none`,
    { headers: { 'accept-encoding': 'gzip' } },
  )
}

/** The chunks. Throws 415 for gzip (RFC 1952, section 2.3.1) that the headers do not announce: it would be read as documents. */
export async function* refusePacked(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let isFirst = true
  for await (const chunk of body) {
    if (isFirst && chunk[0] === 0x1f && chunk[1] === 0x8b)
      throw new Problem(
        'unsupported-media-type',
        'found gzip that is not announced; send the header "Content-Encoding: gzip", or a file that ends in .gz with `querent import`',
      )
    isFirst = false
    yield chunk
  }
}

const notTaken =
  (allowed: string) =>
  (headers: IncomingHttpHeaders): Problem =>
    new Problem(
      'unsupported-media-type',
      `Content-Type: found ${JSON.stringify((headers['content-type'] ?? '').slice(0, 100))}, allowed: ${allowed}`,
    )

/** 415 for a stream, and for one document. */
export const noStream = notTaken('application/x-ndjson, application/json, text/csv')
export const noDocument = notTaken('application/json')

/** How the documents of a stream are written. */
export type StreamFormat = 'lines' | 'array' | 'table'

/** Throws 415. */
export const streamFormat = (headers: IncomingHttpHeaders): StreamFormat => {
  refuseOtherEncodings(headers)
  const type = mediaTypeOf(headers)
  if (type === 'application/x-ndjson') return 'lines'
  if (type === 'application/json') return 'array'
  if (type === 'text/csv') return 'table'
  throw noStream(headers)
}

/** Throws 415. */
export const refuseOtherDocuments = (headers: IncomingHttpHeaders): void => {
  refuseOtherEncodings(headers)
  if (mediaTypeOf(headers) !== 'application/json') throw noDocument(headers)
}
