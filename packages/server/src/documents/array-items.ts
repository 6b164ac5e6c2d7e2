/**
 * Splits a streamed JSON array, or an object, into the texts of its items. Holds at most one item besides the current chunk.
 */
import { isUtf8 } from 'node:buffer'
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

/**
 * White space of JSON (RFC 8259, section 2). The bytes of a byte order mark are allowed before the array
 * only.
 */
const isBlank = (byte: number): boolean => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)
const isMark = (byte: number): boolean => byte === 0xef || byte === 0xbb || byte === 0xbf

const notAnArray = 'the body is not a JSON array of documents: it must start with "["'

/** Where the array is, if it is not the whole body. */
interface ArrayPlace {
  /** Line of its `[`. */
  line?: number
  /** It is an object, and each item is a name, a colon and a value. */
  isObject?: boolean
  /** More text follows its end, which the caller checks. */
  isInside?: boolean
}

/**
 * Yields the items that each chunk completes, with their index and the line where they begin. Everything between two
 * commas is an item; parsing it is up to the caller. If the body is not an array, is cut off, has an endless item, or continues
 * after its end, the last line is a fault.
 */
export async function* readArrayItems(
  source: AsyncIterable<Uint8Array>,
  place: ArrayPlace = {},
): AsyncGenerator<Line[]> {
  const splitter = createItemSplitter(place)
  for await (const piece of source) {
    yield splitter.take(Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength))
    if (splitter.isBroken()) return
  }
  const fault = splitter.end()
  if (fault) yield [fault]
}

const createItemSplitter = ({ line: firstLine = 1, isInside = false, isObject = false }: ArrayPlace) => {
  const [openItems, closeItems] = isObject ? [openObject, closeObject] : [openArray, closeArray]
  const scanner = createScanner(firstLine, closeItems)
  let place: 'before' | 'inside' | 'after' = 'before'
  let isBroken = false
  /** State of the current item. */
  let parts: Buffer[] = []
  let bytes = 0
  let begins = 0
  let items = 0
  const keep = (part: Buffer) => {
    bytes += part.length
    if (bytes <= lineBytesMax) parts.push(part)
    else parts = []
  }
  const finish = (): Line => {
    const item = { ...readItem(begins || scanner.line(), parts, bytes), index: items }
    parts = []
    bytes = 0
    begins = 0
    items += 1
    return item
  }
  /** Remembers the line of the first byte of an item. Returns its position. */
  const beginItem = (chunk: Buffer, start: number): number => {
    const position = scanner.skipBlanks(chunk, start)
    const first = chunk[position]
    if (first !== undefined && first !== comma && first !== closeItems) begins = scanner.line()
    return position
  }
  /** Takes bytes of an item. Returns the position after it; one beyond the chunk if it goes on. */
  const takeItem = (chunk: Buffer, start: number, completed: Line[]): number => {
    const end = scanner.findEnd(chunk, begins === 0 ? beginItem(chunk, start) : start)
    keep(chunk.subarray(start, end))
    const separator = chunk[end]
    if (separator === undefined) return end + 1
    // An empty array has nothing before its end, and one with a comma after its last item.
    if (separator === comma || begins > 0) completed.push(finish())
    if (separator === closeItems) place = 'after'
    return end + 1
  }
  /** Takes a byte before or after the array. Returns what is wrong with it. */
  const takeOutside = (byte: number): Line | undefined => {
    scanner.countLine(byte)
    if (isBlank(byte)) return undefined
    if (place === 'before' && byte === openItems) {
      place = 'inside'
      return undefined
    }
    const number = scanner.line()
    if (place === 'before')
      return number === 1 && isMark(byte) ? undefined : { number, text: '', fault: notAnArray }
    const fault = 'unexpected text after the end of the array; nothing from here on was read'
    return isInside ? undefined : { number, index: items, text: '', fault, breaksOff: true }
  }
  const breakOff = (completed: Line[], fault: Line): Line[] => {
    isBroken = true
    completed.push(fault)
    return completed
  }

  return {
    /** Returns the items that the chunk completes. */
    take(chunk: Buffer): Line[] {
      const completed: Line[] = []
      for (let index = 0; index < chunk.length; ) {
        if (place === 'inside') index = takeItem(chunk, index, completed)
        else {
          const fault = takeOutside(chunk[index] ?? 0)
          if (fault) return breakOff(completed, fault)
          index += 1
        }
      }
      if (bytes <= lineBytesSkippedMax) return completed
      return breakOff(completed, {
        number: begins,
        index: items,
        text: '',
        fault: endlessDocument,
        breaksOff: true,
      })
    },
    /** Whether nothing more can be read. */
    isBroken: () => isBroken,
    /** Call it at the end of the stream. Returns what is missing. */
    end(): Line | undefined {
      if (place === 'before') return { number: scanner.line(), text: '', fault: notAnArray }
      if (place === 'after') return undefined
      const fault = `the text ends before the ${isObject ? '"}" of the object' : '"]" of the array'}; the rest is missing`
      return { number: scanner.line(), index: items, text: '', fault, breaksOff: true }
    },
  }
}

/** Follows the lines of a stream, and the texts, lists and objects inside its array. Loops over bytes, which is twice as fast as calls. */
const createScanner = (firstLine: number, closeItems: number) => {
  let line = firstLine
  let depth = 0
  let inText = false
  let isEscaped = false
  /** Returns the position after the text. */
  const skipText = (chunk: Buffer, start: number): number => {
    let escaped = isEscaped
    for (let index = start; index < chunk.length; index += 1) {
      const byte = chunk[index]
      if (byte === lineFeed) line += 1
      if (escaped) escaped = false
      else if (byte === backslash) escaped = true
      else if (byte === quote) {
        inText = false
        isEscaped = false
        return index + 1
      }
    }
    inText = true
    isEscaped = escaped
    return chunk.length
  }
  const isEnd = (byte: number | undefined): boolean => depth === 0 && (byte === comma || byte === closeItems)
  return {
    line: () => line,
    countLine(byte: number): void {
      if (byte === lineFeed) line += 1
    },
    /** Returns the position of the next byte that is not blank. */
    skipBlanks(chunk: Buffer, start: number): number {
      let index = start
      for (; index < chunk.length && isBlank(chunk[index] ?? 0); index += 1)
        if (chunk[index] === lineFeed) line += 1
      return index
    },
    /** Returns the position of the end of the item; the length of the chunk if it goes on. */
    findEnd(chunk: Buffer, start: number): number {
      let index = inText ? skipText(chunk, start) : start
      while (index < chunk.length) {
        const byte = chunk[index]
        if (isEnd(byte)) return index
        index += 1
        if (byte === quote) index = skipText(chunk, index)
        else if (byte === lineFeed) line += 1
        else depth = Math.max(0, depth + nestingChange(byte))
      }
      return index
    },
  }
}

const nestingChange = (byte: number | undefined): number => {
  if (byte === openObject || byte === openArray) return 1
  return byte === closeObject || byte === closeArray ? -1 : 0
}

/** Returns the item of these bytes. `parts` may be missing if there are too many. */
export const readItem = (number: number, parts: Buffer[], bytes: number): Line => {
  if (bytes > lineBytesMax)
    return { number, text: '', fault: `the document is longer than ${lineBytesMax} bytes` }
  const item = Buffer.concat(parts)
  if (!isUtf8(item)) return { number, text: '', fault: 'the document is not UTF-8' }
  const text = item.toString()
  return text.trim() === ''
    ? { number, text, fault: 'a document is missing before or after the comma' }
    : { number, text }
}
