/** Character encodings of CSV files: detects them and converts the bytes to UTF-8. JSON is UTF-8 (RFC 8259, section 8.1), or UTF-16 with a byte order mark, as PowerShell writes it. */
import { isAscii, isUtf8 } from 'node:buffer'

/** Labels of the Encoding Standard (https://encoding.spec.whatwg.org/#names-and-labels). */
export const encodings = ['utf-8', 'windows-1252', 'utf-16le', 'utf-16be'] as const
export type Encoding = (typeof encodings)[number]

/**
 * Yields the text as UTF-8. Without `stated`, a byte order mark decides, otherwise the first character beyond ASCII: bytes that are not UTF-8
 * there are Windows-1252, which spreadsheets write. Everything before it reads the same in both. `onDetected` receives any encoding but UTF-8.
 */
export async function* toUtf8(
  source: AsyncIterable<Uint8Array>,
  stated?: Encoding,
  onDetected: (encoding: Encoding) => void = () => {},
): AsyncGenerator<Uint8Array> {
  let encoding = stated
  let decoder: InstanceType<typeof TextDecoder> | undefined
  let undecided = Buffer.alloc(0)
  let isStart = true
  const decide = (detected: Encoding) => {
    encoding = detected
    if (detected === 'utf-8') return
    decoder = new TextDecoder(detected)
    onDetected(detected)
  }
  if (stated !== undefined) decide(stated)
  const convert = (bytes: Uint8Array, isEnd = false): Uint8Array =>
    decoder ? Buffer.from(decoder.decode(bytes, { stream: !isEnd })) : bytes
  for await (const chunk of source) {
    if (encoding === undefined && !isStart && isAscii(chunk) && undecided.length === 0) {
      yield chunk
      continue
    }
    if (encoding !== undefined) {
      yield convert(chunk)
      continue
    }
    undecided = Buffer.concat([undecided, chunk])
    const detected = detectEncoding(undecided, isStart)
    if (detected === 'incomplete') continue
    isStart = false
    if (detected) decide(detected)
    yield convert(undecided)
    undecided = Buffer.alloc(0)
  }
  if (undecided.length > 0) {
    decide(isUtf8(undecided) ? 'utf-8' : 'windows-1252')
    yield convert(undecided)
  }
  if (decoder) yield convert(new Uint8Array(), true)
}

/** Yields a stream of JSON as UTF-8. Only UTF-16 with a byte order mark changes. */
export async function* readJsonText(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const chunks = source[Symbol.asyncIterator]()
  let start = Buffer.alloc(0)
  while (start.length < 2) {
    const { done, value } = await chunks.next()
    if (done) break
    start = Buffer.concat([start, value])
  }
  const rest = async function* () {
    try {
      if (start.length > 0) yield start
      for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value
    } finally {
      await chunks.return?.()
    }
  }
  const detected = detectEncoding(start)
  yield* detected === 'utf-16le' || detected === 'utf-16be' ? toUtf8(rest(), detected) : rest()
}

/** Decodes the beginning of a file like {@link toUtf8}. */
export const decodeText = (bytes: Uint8Array): string => {
  const detected = detectEncoding(bytes)
  return new TextDecoder(detected === 'incomplete' ? 'utf-8' : detected).decode(bytes)
}

/** Returns undefined for ASCII alone, and `incomplete` if the bytes end before they decide. */
const detectEncoding = (bytes: Uint8Array, isStart = true): Encoding | 'incomplete' | undefined =>
  (isStart ? detectMark(bytes) : undefined) ?? detectByCharacter(bytes)

/** Detects a byte order mark. */
const detectMark = (bytes: Uint8Array): Encoding | 'incomplete' | undefined => {
  const [first, second, third] = bytes
  if (first === undefined) return 'incomplete'
  if (first === 0xff || first === 0xfe) {
    if (second === undefined) return 'incomplete'
    if (first === 0xff && second === 0xfe) return 'utf-16le'
    if (first === 0xfe && second === 0xff) return 'utf-16be'
  }
  return first === 0xef && second === 0xbb && third === 0xbf ? 'utf-8' : undefined
}

/** Detects by the first character beyond ASCII. */
const detectByCharacter = (bytes: Uint8Array): Encoding | 'incomplete' | undefined => {
  const start = bytes.findIndex(byte => byte > 0x7f)
  if (start < 0) return undefined
  const lead = bytes[start] ?? 0
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1
  const character = bytes.subarray(start, start + length)
  if (isUtf8(character)) return 'utf-8'
  return bytes.length < start + length ? 'incomplete' : 'windows-1252'
}
