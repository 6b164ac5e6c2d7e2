/** Compression of replies, the same with and without Fastify. */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib'
import Negotiator from 'negotiator'
import { byteLength, isOnePiece, type Text } from './large-text.ts'

/** Replies of these types are compressed if they have at least 1 KiB. */
export const compressibleTypes = /^(?:text\/|application\/(?:json|xml|n-triples))/
const compressedBytesMin = 1024

export type Encoding = 'br' | 'gzip'
/** Preferred ones first. */
export const encodings: Encoding[] = ['br', 'gzip']

const brotliAsync = promisify(brotliCompress)
const gzipAsync = promisify(gzip)
/** Quality 4 of 0 to 11. Higher ones take too long for a reply that is read once. */
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }

/** Compresses `body` as `Accept-Encoding` prefers (RFC 9110, section 12.5.3). Undefined if it should stay as it is. */
export const compressIfAccepted = (
  acceptEncoding: string,
  type: string,
  body: Text | Uint8Array,
): Promise<{ encoding: string; body: Text | Uint8Array }> | undefined => {
  if (!compressibleTypes.test(type) || byteLength(body) < compressedBytesMin) return undefined
  const encoding = chooseEncoding(acceptEncoding)
  if (!encoding) return undefined
  const compressed = isOnePiece(body) ? compress(encoding, body) : compressPieces(encoding, body)
  return compressed.then(bytes => ({ encoding, body: bytes }))
}

/** Compresses one piece after the other, without a copy of all of them. */
const compressPieces = async (encoding: Encoding, pieces: readonly Buffer[]): Promise<readonly Buffer[]> => {
  const compressor = encoding === 'br' ? createBrotliCompress(brotliOptions) : createGzip()
  const compressed: Buffer[] = []
  await pipeline(Readable.from(pieces), compressor, async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) compressed.push(chunk)
  })
  return compressed
}

export const compress = (encoding: Encoding, body: string | Uint8Array): Promise<Buffer> =>
  encoding === 'br' ? brotliAsync(body, brotliOptions) : gzipAsync(body)

/** The types of `negotiator` lack the option `preferred`, which decides between equals. */
type PreferringNegotiator = {
  encoding(available: readonly string[], options: { preferred: readonly string[] }): string | undefined
}

/** Returns the encoding that `Accept-Encoding` prefers. Undefined if we support none of its encodings. */
export const chooseEncoding = (acceptEncoding: string): Encoding | undefined => {
  const negotiator = new Negotiator({
    headers: { 'accept-encoding': acceptEncoding },
  }) as PreferringNegotiator
  const chosen = negotiator.encoding([...encodings, 'identity'], { preferred: encodings })
  return encodings.find(encoding => encoding === chosen)
}
