/** Media types and encodings of request bodies. */
import type { IncomingHttpHeaders } from 'node:http'
import { Problem } from '#errors'
import type { Encoding } from './text-encoding.ts'

interface MediaType {
  /** In lower case, without parameters. */
  type: string
  /** In lower case; undefined if none is stated. */
  charset: string | undefined
}

const parseMediaType = (headers: IncomingHttpHeaders): MediaType => {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').split(';')
  const charsets = parameters.flatMap(parameter => {
    const [name = '', value = ''] = parameter.split('=', 2)
    return name.trim().toLowerCase() === 'charset' ? [value.trim().replaceAll('"', '').toLowerCase()] : []
  })
  return { type: type.trim().toLowerCase(), charset: charsets[0] }
}

const unsupportedCharset = (charset: string, allowed: string): Problem =>
  new Problem(
    'unsupported-media-type',
    `Content-Type: found charset ${JSON.stringify(charset.slice(0, 100))}, allowed: ${allowed}`,
  )

const isUtf8Name = (charset: string): boolean => /^utf-?8$/.test(charset)

/**
 * Reads the media type in lower case, without parameters. Throws 415 for a charset other than UTF-8, the only
 * one of JSON (RFC 8259, section 8.1).
 */
const readMediaType = (headers: IncomingHttpHeaders): string => {
  const { type, charset } = parseMediaType(headers)
  if (charset !== undefined && !isUtf8Name(charset)) throw unsupportedCharset(charset, 'utf-8')
  return type
}

/** Names of the encodings of tables (https://encoding.spec.whatwg.org/#names-and-labels). With UTF-8 and UTF-16, the bytes decide. */
const tableCharsets: Readonly<Record<string, Encoding | undefined>> = {
  'utf-8': undefined,
  'utf-16': undefined,
  'utf-16le': 'utf-16le',
  'utf-16be': 'utf-16be',
  'windows-1252': 'windows-1252',
  cp1252: 'windows-1252',
  'iso-8859-1': 'windows-1252',
  latin1: 'windows-1252',
  'us-ascii': undefined,
}

const tableFormats: Readonly<Record<string, StreamFormat>> = {
  'text/csv': 'table',
  'text/tab-separated-values': 'tabs',
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

/** Returns the format of a stream, with the encoding that the charset of a table states. Throws 415 for an unsupported type, encoding or charset. */
export const readStreamType = (
  headers: IncomingHttpHeaders,
): { format: StreamFormat; encoding?: Encoding | undefined } => {
  refuseOtherEncodings(headers)
  const { type, charset = 'utf-8' } = parseMediaType(headers)
  const table = Object.hasOwn(tableFormats, type) ? tableFormats[type] : undefined
  if (table !== undefined) {
    const name = isUtf8Name(charset) ? 'utf-8' : charset
    if (!Object.hasOwn(tableCharsets, name))
      throw unsupportedCharset(charset, Object.keys(tableCharsets).join(', '))
    return { format: table, encoding: tableCharsets[name] }
  }
  const format = readMediaType(headers)
  if (format === 'application/x-ndjson') return { format: 'lines' }
  if (format === 'application/json') return { format: 'array' }
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
