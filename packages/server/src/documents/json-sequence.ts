/** Splits a stream of JSON objects that follow each other over several lines, as `jq` and many logs write them, with or without commas between them. */
import { readItem } from './array-items.ts'
import {
  backslash,
  closeArray,
  closeObject,
  comma,
  lineFeed,
  openArray,
  openObject,
  quote,
} from './json-bytes.ts'
import { endlessDocument, type Line, lineBytesMax, lineBytesSkippedMax } from './lines.ts'

/** Whether the byte may stand between two objects: white space (RFC 8259, section 2), a comma, or a record separator (RFC 7464). */
const isBetween = (byte: number): boolean => byte <= 0x20 || byte === comma

/**
 * Yields the objects that each chunk completes, with their index and the line where they begin. If other text stands between them, or the last one is
 * cut off, the last line is a fault.
 */
export async function* readJsonSequence(source: AsyncIterable<Uint8Array>): AsyncGenerator<Line[]> {
  const splitter = createSequenceSplitter()
  for await (const piece of source) {
    const { lines, isBroken } = splitter.take(Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength))
    yield lines
    if (isBroken) return
  }
  const fault = splitter.end()
  if (fault) yield [fault]
}

const createSequenceSplitter = () => {
  let line = 1
  let depth = 0
  let inText = false
  let isEscaped = false
  let parts: Buffer[] = []
  let bytes = 0
  let begins = 1
  let items = 0
  const keep = (part: Buffer) => {
    bytes += part.length
    if (bytes <= lineBytesMax) parts.push(part)
    else parts = []
  }
  const finish = (): Line => {
    const item = { ...readItem(begins, parts, bytes), index: items }
    parts = []
    bytes = 0
    items += 1
    return item
  }
  const breakOff = (number: number, fault: string): Line => ({
    number,
    index: items,
    text: '',
    fault,
    breaksOff: true,
  })
  const takeInText = (byte: number) => {
    if (isEscaped) isEscaped = false
    else if (byte === backslash) isEscaped = true
    else if (byte === quote) inText = false
  }
  const takeInObject = (byte: number) => {
    if (byte === quote) inText = true
    else if (byte === openObject || byte === openArray) depth += 1
    else if (byte === closeObject || byte === closeArray) depth -= 1
  }
  /** Takes a byte, and says whether an object begins or ends with it, or it is in no object. */
  const takeByte = (byte: number): 'begin' | 'end' | 'inside' | 'between' | 'fault' => {
    if (byte === lineFeed) line += 1
    if (inText) takeInText(byte)
    else if (depth > 0) {
      takeInObject(byte)
      if (depth === 0) return 'end'
    } else if (byte === openObject) {
      depth = 1
      begins = line
      return 'begin'
    } else return isBetween(byte) ? 'between' : 'fault'
    return 'inside'
  }
  return {
    take(chunk: Buffer): { lines: Line[]; isBroken: boolean } {
      const lines: Line[] = []
      let start = 0
      for (let index = 0; index < chunk.length; index += 1) {
        const step = takeByte(chunk[index] ?? 0)
        if (step === 'begin') start = index
        else if (step === 'end') {
          keep(chunk.subarray(start, index + 1))
          lines.push(finish())
        } else if (step === 'fault') {
          lines.push(breakOff(line, 'unexpected text between the documents; nothing from here on was read'))
          return { lines, isBroken: true }
        }
      }
      if (depth > 0) keep(chunk.subarray(start))
      if (bytes <= lineBytesSkippedMax) return { lines, isBroken: false }
      lines.push(breakOff(begins, endlessDocument))
      return { lines, isBroken: true }
    },
    /** Call it at the end of the stream. Returns what is missing. */
    end: (): Line | undefined =>
      depth > 0
        ? breakOff(line, 'the text ends before the "}" of the document; the rest is missing')
        : undefined,
  }
}
