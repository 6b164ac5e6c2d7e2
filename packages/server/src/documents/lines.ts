/** Splits a stream of bytes into lines, and into blocks for readers of many lines at a time. */
import { isUtf8 } from 'node:buffer'

/**
 * One document of a stream: JSON text without its line feed, or a parsed value. `fault`: why it cannot be
 * read.
 */
export interface Line {
  /** Starts at 1. */
  number: number
  /** Position in the list of a JSON file, from 0. */
  index?: number
  text: string
  document?: unknown
  fault?: string
  /** The fault ends the stream: nothing after it could be read. */
  breaksOff?: true
}

/** Length limit of a line of documents, in bytes. */
export const lineBytesMax = 1024 * 1024

/**
 * A longer line is skipped, up to this length. Beyond it, the stream ends: a small body of gzip may contain a line of gigabytes, and
 * somebody would have to decompress it.
 */
export const lineBytesSkippedMax = 16 * 1024 * 1024

const lineFeed = 0x0a
const byteOrderMark = '\ufeff'

/**
 * A block is one engine transaction: large enough to share its cost, small enough to hold two of them in
 * memory.
 */
const blockLinesMax = 1000
const blockBytes = 1024 * 1024

/**
 * Yields complete lines together as one buffer, or undefined for one line longer than `bytesMax`. Ends with `endless` at a line beyond
 * {@link lineBytesSkippedMax}.
 */
export async function* readBlocks(
  source: AsyncIterable<Uint8Array>,
  bytesMax = lineBytesMax,
): AsyncGenerator<Buffer | 'endless' | undefined> {
  let parts: Buffer[] = []
  let lineCount = 0
  let byteCount = 0
  /** The last line, while incomplete. */
  let openParts: Buffer[] = []
  let openBytes = 0
  const takeBlock = (): Buffer[] => {
    const block = Buffer.concat(parts)
    parts = []
    lineCount = 0
    byteCount = 0
    return block.length > 0 ? [block] : []
  }
  for await (const bytes of source) {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    /** Start of the bytes that belong to no block yet, and of the current line. */
    let blockStart = 0
    let lineStart = 0
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, lineStart)) {
      const lineBytes = openBytes + end - lineStart
      if (lineBytes > bytesMax) {
        parts.push(chunk.subarray(blockStart, lineStart))
        yield* takeBlock()
        yield undefined
        blockStart = end + 1
      } else {
        parts.push(...openParts)
        lineCount += 1
        byteCount += lineBytes
      }
      openParts = []
      openBytes = 0
      lineStart = end + 1
      if (lineCount < blockLinesMax && byteCount < blockBytes) continue
      parts.push(chunk.subarray(blockStart, lineStart))
      blockStart = lineStart
      yield* takeBlock()
    }
    parts.push(chunk.subarray(blockStart, lineStart))
    openBytes += chunk.length - lineStart
    // A longer line is rejected as a whole, so its bytes need not be kept.
    if (openBytes <= bytesMax) openParts.push(chunk.subarray(lineStart))
    else openParts = []
    if (openBytes > lineBytesSkippedMax) {
      yield* takeBlock()
      yield 'endless'
      return
    }
  }
  parts.push(...openParts)
  yield* takeBlock()
  if (openBytes > bytesMax) yield undefined
}

/**
 * Yields the lines of each block; the last line needs no line feed. A line that is too long or not UTF-8 has
 * a fault instead of text.
 */
export async function* readLines(
  source: AsyncIterable<Uint8Array>,
  bytesMax = lineBytesMax,
): AsyncGenerator<Line[]> {
  let number = 1
  for await (const block of readBlocks(source, bytesMax)) {
    if (block === 'endless') yield [{ number, text: '', fault: endlessDocument, breaksOff: true }]
    else if (block) {
      const lines = splitBlock(block, number)
      number += lines.length
      yield lines
    } else yield [{ number: number++, text: '', fault: tooLong(bytesMax) }]
  }
}

const splitBlock = (block: Buffer, first: number): Line[] => {
  const content = block.at(-1) === lineFeed ? block.subarray(0, -1) : block
  // Almost always the case.
  if (isUtf8(content))
    return content
      .toString()
      .split('\n')
      .map((text, index) => toLine(text, first + index))
  const lines: Line[] = []
  for (let start = 0; start <= content.length; ) {
    const lineEnd = content.indexOf(lineFeed, start)
    const end = lineEnd < 0 ? content.length : lineEnd
    lines.push(decodeLine(content.subarray(start, end), first + lines.length))
    start = end + 1
  }
  return lines
}

/** Decodes one line, given without its line feed. */
export const decodeLine = (bytes: Buffer, number: number): Line =>
  isUtf8(bytes) ? toLine(bytes.toString(), number) : { number, text: '', fault: 'the line is not UTF-8' }

/** Each file of a concatenation may begin with a byte order mark; JSON never does. */
const toLine = (text: string, number: number): Line => ({
  number,
  text: text.startsWith(byteOrderMark) ? text.slice(1) : text,
})

/** Fault of a line longer than `bytesMax`. */
export const tooLong = (bytesMax = lineBytesMax): string => `the line is longer than ${bytesMax} bytes`

/** Fault that ends a stream with a line or an item beyond {@link lineBytesSkippedMax}. */
export const endlessDocument = `the document is longer than ${lineBytesSkippedMax} bytes; nothing from here on was read`
