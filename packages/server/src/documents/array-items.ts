/**
 * Splits a streamed JSON array, or an object, into the texts of its items. Holds at most one item besides the current chunk.
 */
import { isUtf8 } from 'node:buffer'
import { endlessDocument, type Line, lineBytesMax, lineBytesSkippedMax } from './lines.ts'

const code = (character: string): number => character.charCodeAt(0)
const [lineFeed, quote, backslash, comma] = [code('\n'), code('"'), code('\\'), code(',')]
const [openArray, closeArray, openObject, closeObject] = [code('['), code(']'), code('{'), code('}')]
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
  const nesting = createNesting()
  let place: 'before' | 'inside' | 'after' = 'before'
  let isBroken = false
  let line = firstLine
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
    const item = { ...readItem(begins || line, parts, bytes), index: items }
    parts = []
    bytes = 0
    begins = 0
    items += 1
    return item
  }
  const endsItem = (byte: number): boolean => {
    if (begins === 0 && !isBlank(byte) && byte !== comma && byte !== closeItems) begins = line
    return nesting.isTop(byte) && (byte === comma || byte === closeItems)
  }
  const countLine = (byte: number): void => {
    if (byte === lineFeed) line += 1
  }
  const endItem = (byte: number, completed: Line[]): void => {
    // Only an empty array may have nothing before its end.
    if (byte === comma || begins > 0 || items > 0) completed.push(finish())
    if (byte === closeItems) place = 'after'
  }
  /** Takes a byte before or after the array. Returns what is wrong with it. */
  const takeOutside = (byte: number): Line | undefined => {
    if (isBlank(byte)) return undefined
    if (place === 'before' && byte === openItems) {
      place = 'inside'
      return undefined
    }
    if (place === 'before')
      return line === 1 && isMark(byte) ? undefined : { number: line, text: '', fault: notAnArray }
    const fault = 'unexpected text after the end of the array; nothing from here on was read'
    return isInside ? undefined : { number: line, index: items, text: '', fault, breaksOff: true }
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
      let start = 0
      for (let index = 0; index < chunk.length; index += 1) {
        const byte = chunk[index] ?? 0
        countLine(byte)
        if (place === 'inside') {
          if (!endsItem(byte)) continue
          keep(chunk.subarray(start, index))
          endItem(byte, completed)
        } else {
          const fault = takeOutside(byte)
          if (fault) return breakOff(completed, fault)
        }
        start = index + 1
      }
      if (place === 'inside') keep(chunk.subarray(start))
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
      if (place === 'before') return { number: line, text: '', fault: notAnArray }
      if (place === 'after') return undefined
      const fault = `the stream ends before the ${isObject ? '"}" of the object' : '"]" of the array'}; the rest is missing`
      return { number: line, index: items, text: '', fault, breaksOff: true }
    },
  }
}

/** Follows the texts, lists and objects inside an array. */
const createNesting = () => {
  let depth = 0
  let inText = false
  let isEscaped = false
  const takeInText = (byte: number): void => {
    if (isEscaped) isEscaped = false
    else if (byte === backslash) isEscaped = true
    else if (byte === quote) inText = false
  }
  return {
    /** Returns whether the next byte is outside of them all. */
    isTop(byte: number): boolean {
      if (inText) {
        takeInText(byte)
        return false
      }
      if (byte === quote) inText = true
      else if (byte === openObject || byte === openArray) depth += 1
      else if (depth > 0 && (byte === closeObject || byte === closeArray)) depth -= 1
      else return depth === 0
      return false
    },
  }
}

const readItem = (number: number, parts: Buffer[], bytes: number): Line => {
  if (bytes > lineBytesMax)
    return { number, text: '', fault: `the document is longer than ${lineBytesMax} bytes` }
  const item = Buffer.concat(parts)
  if (!isUtf8(item)) return { number, text: '', fault: 'the document is not UTF-8' }
  const text = item.toString()
  return text.trim() === ''
    ? { number, text, fault: 'a document is missing before or after the comma' }
    : { number, text }
}
