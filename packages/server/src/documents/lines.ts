/** Splits a stream of bytes into lines of text, holding no more than one of them beside the chunk at hand. */
import { isUtf8 } from 'node:buffer'

/** One document of a stream: as JSON text without its line feed, or read already. `fault`: why it cannot be read. */
export interface Line {
  /** From 1. */
  number: number
  text: string
  document?: unknown
  fault?: string
}

/** A line of documents may be so long, in bytes. */
export const lineBytesMax = 1024 * 1024

const lineFeed = 0x0a
const byteOrderMark = '\ufeff'

/**
 * Gives the lines that each chunk completes, together; the last one needs no line feed. One that is longer than `bytesMax` or
 * no UTF-8 has a fault instead of text.
 */
export async function* readLines(
  source: AsyncIterable<Uint8Array>,
  bytesMax = lineBytesMax,
): AsyncGenerator<Line[]> {
  let number = 1
  /** The line that no chunk has completed yet. */
  let open: Buffer[] = []
  let openBytes = 0
  const numbered = (texts: Omit<Line, 'number'>[]): Line[] =>
    texts.map(line => {
      const at = number++
      const text = at === 1 && line.text.startsWith(byteOrderMark) ? line.text.slice(1) : line.text
      return { ...line, text, number: at }
    })
  for await (const bytes of source) {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const last = chunk.lastIndexOf(lineFeed)
    if (last < 0) {
      openBytes += chunk.length
      // What is longer is refused whole; its bytes need not be kept.
      if (openBytes <= bytesMax) open.push(chunk)
      else open = []
      continue
    }
    const lines: Omit<Line, 'number'>[] = []
    let from = 0
    if (openBytes > 0) {
      const first = chunk.indexOf(lineFeed)
      lines.push(readLine([...open, chunk.subarray(0, first)], openBytes + first, bytesMax))
      from = first + 1
    }
    if (from <= last) lines.push(...readWhole(chunk.subarray(from, last), bytesMax))
    const rest = chunk.subarray(last + 1)
    open = rest.length > 0 ? [rest] : []
    openBytes = rest.length
    yield numbered(lines)
  }
  if (openBytes > 0) yield numbered([readLine(open, openBytes, bytesMax)])
}

const readLine = (parts: Buffer[], bytes: number, bytesMax: number): Omit<Line, 'number'> => {
  if (bytes > bytesMax) return { text: '', fault: `the line is longer than ${bytesMax} bytes` }
  const line = Buffer.concat(parts)
  if (!isUtf8(line)) return { text: '', fault: 'the line is not UTF-8' }
  return { text: line.toString() }
}

/** Lines with their line feeds between them, within one chunk. */
const readWhole = (block: Buffer, bytesMax: number): Omit<Line, 'number'>[] => {
  // Almost always; a block is far shorter than the longest line then.
  if (block.length <= bytesMax && isUtf8(block))
    return block
      .toString()
      .split('\n')
      .map(text => ({ text }))
  const lines: Omit<Line, 'number'>[] = []
  for (let from = 0; from <= block.length; ) {
    const end = block.indexOf(lineFeed, from)
    const line = block.subarray(from, end < 0 ? block.length : end)
    lines.push(readLine([line], line.length, bytesMax))
    from = end < 0 ? block.length + 1 : end + 1
  }
  return lines
}
