/** Reads the beginning of a CSV file, which tells its layout, and makes its lines regular: line ends, and columns that are aligned for reading. */
import { alignStream, alignText, findAlignment } from './csv-alignment.ts'
import { readFirstRecord } from './csv-layout.ts'
import { decodeText } from './text-encoding.ts'

const lineFeed = 0x0a

interface TableStream {
  beginning: string
  /** From its beginning. */
  stream: AsyncIterable<Uint8Array>
}

/** Columns may be aligned by them. */
const severalBlanks = /\t\t|\S {2,}\S/

/**
 * Reads the first record, and more unless that `isEnough`. `isAligned`: columns that are aligned become tab-separated, in the beginning and in the stream.
 */
export const openBeginning = async (
  source: AsyncIterable<Uint8Array>,
  { isEnough, isAligned }: { isEnough: (firstRecord: string) => boolean; isAligned: boolean },
): Promise<TableStream> => {
  const { beginning, stream } = await peekBeginning(source, text => {
    const first = readFirstRecord(text)
    return !(isAligned && severalBlanks.test(first)) && isEnough(first)
  })
  const align = isAligned ? findAlignment(beginning) : undefined
  return align
    ? { beginning: alignText(beginning, align), stream: alignStream(stream, align) }
    : { beginning, stream }
}

/** Returns the beginning of a file as {@link openBeginning} does. */
export const decodeBeginning = (bytes: Uint8Array): string => {
  const text = decodeText(bytes.subarray(0, peekedBytesMax)).replace(/^\ufeff/, '')
  const beginning = hasOldLineEnds(text) ? text.replaceAll('\r', '\n') : text
  const align = findAlignment(beginning)
  return align ? alignText(beginning, align) : beginning
}

/** The header line is looked for so far. */
const peekedBytesMax = 64 * 1024

/** Reads the first record, and more unless that `isEnough`. Returns it, and the stream from its beginning. */
const peekBeginning = async (
  source: AsyncIterable<Uint8Array>,
  isEnough: (text: string) => boolean,
): Promise<TableStream> => {
  const chunks = source[Symbol.asyncIterator]()
  const read: Uint8Array[] = []
  const isEnd = createHeaderEndDetector()
  let bytes = 0
  let isComplete = false
  const decode = () =>
    Buffer.concat(read)
      .toString('utf8', 0, peekedBytesMax)
      .replace(/^\ufeff/, '')
  while (!isComplete && bytes < peekedBytesMax) {
    const { done, value } = await chunks.next()
    if (done) break
    read.push(value)
    isComplete = value.subarray(0, peekedBytesMax - bytes).some(isEnd)
    bytes += value.length
  }
  if (isComplete && !isEnough(decode()))
    while (bytes < peekedBytesMax) {
      const { done, value } = await chunks.next()
      if (done) break
      read.push(value)
      bytes += value.length
    }
  const isOld = hasOldLineEnds(decode())
  const convert = isOld ? convertLineEnds : (chunk: Uint8Array) => chunk
  const replay = async function* () {
    try {
      for (const chunk of read) yield convert(chunk)
      for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield convert(next.value)
    } finally {
      await chunks.return?.()
    }
  }
  return { beginning: isOld ? decode().replaceAll('\r', '\n') : decode(), stream: replay() }
}

/** Whether lines end with CR alone, as Excel for Mac writes "CSV (Macintosh)". */
const hasOldLineEnds = (beginning: string): boolean => beginning.includes('\r') && !beginning.includes('\n')

const convertLineEnds = (chunk: Uint8Array): Uint8Array =>
  chunk.map(byte => (byte === carriageReturn ? lineFeed : byte))

const quote = 0x22
const carriageReturn = 0x0d

/** Detects the line end of the first record, byte by byte: outside of quotes, and not of an empty line. */
const createHeaderEndDetector = () => {
  let isQuoted = false
  let isEmpty = true
  return (byte: number): boolean => {
    if (byte === quote) isQuoted = !isQuoted
    if (byte === lineFeed && !isQuoted && !isEmpty) return true
    if (byte !== lineFeed && byte !== carriageReturn) isEmpty = false
    return false
  }
}
