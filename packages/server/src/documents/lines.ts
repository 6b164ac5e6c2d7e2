/** Splits a stream of bytes into lines, by the block for whoever reads many of them at a time. */
import { isUtf8 } from 'node:buffer'

/** One document of a stream: as JSON text without its line feed, or read already. `fault`: why it cannot be read. */
export interface Line {
  /** From 1. */
  number: number
  text: string
  document?: unknown
  fault?: string
  /** The fault is the stream's: nothing behind it could be read. */
  breaksOff?: true
}

/** A line of documents may be so long, in bytes. */
export const lineBytesMax = 1024 * 1024

const lineFeed = 0x0a
const byteOrderMark = '\ufeff'

/** A block is one transaction of the engine: large enough to share its cost, small enough to hold two of them. */
const blockLinesMax = 1000
const blockBytes = 1024 * 1024

/** Whole lines together, in one piece; or one line that is longer than `bytesMax`, as undefined. */
export async function* readBlocks(
  source: AsyncIterable<Uint8Array>,
  bytesMax = lineBytesMax,
): AsyncGenerator<Buffer | undefined> {
  let whole: Buffer[] = []
  let wholeLines = 0
  let wholeBytes = 0
  /** The line that no chunk has completed yet. */
  let open: Buffer[] = []
  let openBytes = 0
  const takeWhole = (): Buffer[] => {
    const block = Buffer.concat(whole)
    whole = []
    wholeLines = 0
    wholeBytes = 0
    return block.length > 0 ? [block] : []
  }
  for await (const bytes of source) {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    /** Where the bytes begin that stand nowhere yet, and where the line does. */
    let rest = 0
    let begins = 0
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, begins)) {
      const lineBytes = openBytes + end - begins
      if (lineBytes > bytesMax) {
        whole.push(chunk.subarray(rest, begins))
        yield* takeWhole()
        yield undefined
        rest = end + 1
      } else {
        whole.push(...open)
        wholeLines += 1
        wholeBytes += lineBytes
      }
      open = []
      openBytes = 0
      begins = end + 1
      if (wholeLines < blockLinesMax && wholeBytes < blockBytes) continue
      whole.push(chunk.subarray(rest, begins))
      rest = begins
      yield* takeWhole()
    }
    whole.push(chunk.subarray(rest, begins))
    openBytes += chunk.length - begins
    // What is longer is refused whole; its bytes need not be kept.
    if (openBytes <= bytesMax) open.push(chunk.subarray(begins))
    else open = []
  }
  whole.push(...open)
  yield* takeWhole()
  if (openBytes > bytesMax) yield undefined
}

/** Gives the lines of each block, together; the last one needs no line feed. One that is longer than `bytesMax` or no UTF-8 has a fault instead of text. */
export async function* readLines(
  source: AsyncIterable<Uint8Array>,
  bytesMax = lineBytesMax,
): AsyncGenerator<Line[]> {
  let number = 1
  for await (const block of readBlocks(source, bytesMax)) {
    if (block) {
      const lines = linesOf(block, number)
      number += lines.length
      yield lines
    } else yield [{ number: number++, text: '', fault: tooLong(bytesMax) }]
  }
}

const linesOf = (block: Buffer, first: number): Line[] => {
  const whole = block.at(-1) === lineFeed ? block.subarray(0, -1) : block
  // Almost always.
  if (isUtf8(whole))
    return whole
      .toString()
      .split('\n')
      .map((text, at) => numbered(text, first + at))
  const lines: Line[] = []
  for (let from = 0; from <= whole.length; ) {
    const found = whole.indexOf(lineFeed, from)
    const end = found < 0 ? whole.length : found
    lines.push(lineOf(whole.subarray(from, end), first + lines.length))
    from = end + 1
  }
  return lines
}

/** A line of a block by its bytes, without its line feed. */
export const lineOf = (bytes: Buffer, number: number): Line =>
  isUtf8(bytes) ? numbered(bytes.toString(), number) : { number, text: '', fault: 'the line is not UTF-8' }

/** Files that were joined have a byte order mark each; no JSON begins with one. */
const numbered = (text: string, number: number): Line => ({
  number,
  text: text.startsWith(byteOrderMark) ? text.slice(1) : text,
})

/** The fault of a line of which only the number is known. */
export const tooLong = (bytesMax = lineBytesMax): string => `the line is longer than ${bytesMax} bytes`
