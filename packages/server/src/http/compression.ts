/** Which replies are compressed, and how: the same for those that Fastify sends and those that are written without it. */
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import Negotiator from 'negotiator'

/** Replies of these types are compressed, from 1 KiB on. */
export const compressedTypes = /^(?:text\/|application\/(?:json|xml|n-triples))/
const compressedBytesMin = 1024

/** Preferred ones first. */
export const encodings: ('br' | 'gzip')[] = ['br', 'gzip']

const brotli = promisify(brotliCompress)
const gzipped = promisify(gzip)
/** Quality 4 of 0 to 11: higher ones take longer than a reply for one reader is worth. */
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }

/** `body` as a client wants it that sent this `Accept-Encoding` (RFC 9110, section 12.5.3); undefined: as it is. */
export const compressedFor = (
  acceptEncoding: string,
  type: string,
  body: string | Buffer,
): Promise<{ encoding: string; body: Buffer }> | undefined => {
  if (!compressedTypes.test(type) || Buffer.byteLength(body) < compressedBytesMin) return undefined
  const encoding = chosenEncoding(acceptEncoding)
  if (encoding === 'br') return brotli(body, brotliOptions).then(bytes => ({ encoding, body: bytes }))
  if (encoding === 'gzip') return gzipped(body).then(bytes => ({ encoding, body: bytes }))
  return undefined
}

/** The types of `negotiator` are of a version before `preferred`, which decides between equals. */
type WithPreferred = {
  encoding(available: readonly string[], options: { preferred: readonly string[] }): string | undefined
}

const chosenEncoding = (acceptEncoding: string): string | undefined => {
  const negotiator = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } }) as WithPreferred
  return negotiator.encoding([...encodings, 'identity'], { preferred: encodings })
}
