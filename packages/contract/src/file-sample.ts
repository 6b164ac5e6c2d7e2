/** Takes a sample from all over a file: its beginning, and short parts up to its end. Works in browsers and in Node.js. */

/** Bytes that a proposal reads at the beginning of a file. */
export const sampleBeginningBytes = 1024 * 1024
/** The same for a JSON object: an import looks at so much of it to find its documents. */
export const objectBeginningBytes = 8 * 1024 * 1024
const partBytes = 64 * 1024
/** Number of parts after the beginning. */
export const samplePartsMax = 16
/** Number of parts after the beginning, for a file with random access. */
const partsOfFile = samplePartsMax

export interface FileSample {
  beginning: Uint8Array
  /** In the order of the file. They don't overlap, and each may begin and end within a record. */
  parts: Uint8Array[]
  /** Whether more of the file follows the beginning. */
  isCut: boolean
}

/** The part of `Blob` that this module needs. */
interface SlicedFile {
  size: number
  slice: (start: number, end: number) => { arrayBuffer: () => Promise<ArrayBuffer> }
}

/** Reads a sample of a file with random access, and nothing else of it. */
export const sampleFile = async (
  file: SlicedFile,
  beginningBytes = sampleBeginningBytes,
): Promise<FileSample> => {
  const read = async (start: number, length: number) =>
    new Uint8Array(await file.slice(start, Math.min(start + length, file.size)).arrayBuffer())
  const rest = file.size - beginningBytes
  const count = Math.min(partsOfFile, Math.floor(Math.max(rest, 0) / partBytes))
  const parts = Array.from({ length: count }, (_, index) =>
    // The last part ends with the file. Even offsets keep the characters of UTF-16 whole.
    read(
      file.size - partBytes - 2 * Math.floor(((rest - partBytes) * index) / Math.max(count - 1, 1) / 2),
      partBytes,
    ),
  )
  return {
    beginning: await read(0, beginningBytes),
    parts: (await Promise.all(parts)).reverse(),
    isCut: rest > 0,
  }
}

/** Reads a stream to its end and keeps a sample of it. */
export const sampleStream = async (
  source: AsyncIterable<Uint8Array>,
  beginningBytes = sampleBeginningBytes,
): Promise<FileSample> => {
  const beginning = createBuffer(beginningBytes)
  let part = createBuffer(partBytes)
  let savedParts: { index: number; bytes: Uint8Array }[] = []
  let index = 0
  /** One part in `stride` is saved. It doubles when there are too many. */
  let stride = 1
  let isCut = false
  const finishPart = () => {
    if (index % stride === 0) savedParts.push({ index, bytes: part.take() })
    if (savedParts.length > samplePartsMax) {
      stride *= 2
      savedParts = savedParts.filter(({ index }) => index % stride === 0)
    }
    index += 1
    part = createBuffer(partBytes)
  }
  for await (const chunk of source) {
    let rest = beginning.fill(chunk)
    while (rest.length > 0) {
      isCut = true
      rest = part.fill(rest)
      if (part.isFull()) finishPart()
    }
  }
  const end = part.take()
  const parts = savedParts.map(({ bytes }) => bytes)
  if (end.length > 0) parts.splice(samplePartsMax - 1, Infinity, end)
  return { beginning: beginning.take(), parts, isCut }
}

/**
 * Returns the texts of a sample: UTF-16 with a byte order mark, UTF-8, or else Windows-1252, as an import would read it. Characters at the ends of
 * parts may be incomplete.
 */
export const decodeSample = ({ beginning, parts }: FileSample): { text: string; parts: string[] } => {
  const encoding = detectEncoding(beginning)
  const decode = (bytes: Uint8Array) => new TextDecoder(encoding).decode(bytes)
  return { text: decode(beginning), parts: parts.map(decode).filter(text => text !== '') }
}

/** Returns UTF-16 with a byte order mark, UTF-8, or else Windows-1252. The bytes may end within a character. */
export const detectEncoding = (bytes: Uint8Array): string => {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  try {
    // A character may be cut off at the end.
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
    return 'utf-8'
  } catch {
    return 'windows-1252'
  }
}

const createBuffer = (size: number) => {
  const chunks: Uint8Array[] = []
  let length = 0
  return {
    /** Takes what fits, and returns the rest. */
    fill: (bytes: Uint8Array): Uint8Array => {
      const head = bytes.subarray(0, size - length)
      if (head.length > 0) chunks.push(head)
      length += head.length
      return bytes.subarray(head.length)
    },
    isFull: () => length === size,
    take: (): Uint8Array => {
      const joined = new Uint8Array(length)
      let offset = 0
      for (const chunk of chunks) {
        joined.set(chunk, offset)
        offset += chunk.length
      }
      return joined
    },
  }
}
