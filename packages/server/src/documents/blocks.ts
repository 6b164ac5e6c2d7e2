/** Cuts a stream of bytes into blocks of whole lines, for whoever reads many of them at a time. */
import { isUtf8 } from 'node:buffer'
import { type Line, lineBytesMax } from './lines.ts'

const lineFeed = 0x0a
const byteOrderMark = '\ufeff'

/** A block is one transaction of the engine: large enough to share its cost, small enough to hold two of them. */
const blockLinesMax = 1000
const blockBytes = 1024 * 1024

/** Whole lines together, in one piece; or one line that is longer than {@link lineBytesMax}, as undefined. */
export async function* readBlocks(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer | undefined> {
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
      if (lineBytes > lineBytesMax) {
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
    if (openBytes <= lineBytesMax) open.push(chunk.subarray(begins))
    else open = []
  }
  whole.push(...open)
  yield* takeWhole()
  if (openBytes > lineBytesMax) yield undefined
}

/** A line by its bytes, without its line feed, as `readLines` gives it. */
export const lineOf = (bytes: Buffer, number: number): Line => {
  if (bytes.length > lineBytesMax) return { number, text: '', fault: tooLong }
  if (!isUtf8(bytes)) return { number, text: '', fault: 'the line is not UTF-8' }
  const text = bytes.toString()
  return { number, text: number === 1 && text.startsWith(byteOrderMark) ? text.slice(1) : text }
}

/** The fault of a line of which only the number is known. */
export const tooLong = `the line is longer than ${lineBytesMax} bytes`
