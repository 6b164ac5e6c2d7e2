/** Media types and encodings of request bodies. */
import type { IncomingHttpHeaders } from 'node:http'
import { Problem } from '#errors'

/**
 * Reads the media type in lower case, without parameters. Throws 415 for a charset other than UTF-8, the only
 * one of JSON (RFC 8259, section 8.1).
 */
const readMediaType = (headers: IncomingHttpHeaders): string => {
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

/** `x-gzip` is equivalent to `gzip` (RFC 9110, section 8.4.1.3). */
export const isGzip = (headers: IncomingHttpHeaders): boolean =>
  ['gzip', 'x-gzip'].includes(contentEncoding(headers))

/** The 415 lists the allowed encodings (RFC 9110, section 15.5.16). */
const refuseOtherEncodings = (headers: IncomingHttpHeaders): void => {
  if (isGzip(headers) || contentEncoding(headers) === 'identity') return
  throw new Problem(
    'unsupported-media-type',
    `Content-Encoding: found ${JSON.stringify(contentEncoding(headers).slice(0, 100))}, allowed: gzip, or none`,
    { headers: { 'accept-encoding': 'gzip' } },
  )
}

/**
 * Yields the chunks. Throws 415 for gzip (RFC 1952, section 2.3.1) without `Content-Encoding`, which would be
 * read as documents.
 */
export async function* refuseUnannouncedGzip(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let isFirst = true
  for await (const chunk of body) {
    if (isFirst && chunk[0] === 0x1f && chunk[1] === 0x8b)
      throw new Problem(
        'unsupported-media-type',
        'found gzip without Content-Encoding; send the header "Content-Encoding: gzip", or a file that ends in .gz with `querent import`',
      )
    isFirst = false
    yield chunk
  }
}

const unsupportedType =
  (allowed: string) =>
  (headers: IncomingHttpHeaders): Problem =>
    new Problem(
      'unsupported-media-type',
      `Content-Type: found ${JSON.stringify((headers['content-type'] ?? '').slice(0, 100))}, allowed: ${allowed}`,
    )

/** 415 for a stream and for one document. */
export const unsupportedStream = unsupportedType(
  'application/x-ndjson, application/json, text/csv, text/tab-separated-values',
)
export const unsupportedDocument = unsupportedType('application/json')
export const unsupportedPatch = unsupportedType('application/merge-patch+json')

/** Format of a stream of documents. */
export type StreamFormat = 'lines' | 'array' | 'table' | 'tabs'

/** Throws 415 for an unsupported type or encoding. */
export const streamFormat = (headers: IncomingHttpHeaders): StreamFormat => {
  refuseOtherEncodings(headers)
  const type = readMediaType(headers)
  if (type === 'application/x-ndjson') return 'lines'
  if (type === 'application/json') return 'array'
  if (type === 'text/csv') return 'table'
  if (type === 'text/tab-separated-values') return 'tabs'
  throw unsupportedStream(headers)
}

/** Throws 415 for anything but JSON. */
export const refuseOtherDocuments = (headers: IncomingHttpHeaders): void => {
  refuseOtherEncodings(headers)
  if (readMediaType(headers) !== 'application/json') throw unsupportedDocument(headers)
}

/** Throws 415 for anything but a JSON Merge Patch (RFC 7396). `application/json` does not say that it is one. */
export const refuseOtherPatches = (headers: IncomingHttpHeaders): void => {
  refuseOtherEncodings(headers)
  if (readMediaType(headers) !== 'application/merge-patch+json') throw unsupportedPatch(headers)
}
