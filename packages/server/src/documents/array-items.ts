/** Splits a JSON array, streamed, into the texts of its items, holding no more than one of them beside the chunk at hand. */
import { isUtf8 } from 'node:buffer'
import { type Line, lineBytesMax } from './lines.ts'

const code = (character: string): number => character.charCodeAt(0)
const [lineFeed, quote, backslash, comma] = [code('\n'), code('"'), code('\\'), code(',')]
const [openArray, closeArray, openObject, closeObject] = [code('['), code(']'), code('{'), code('}')]
/** White space of JSON (RFC 8259, section 2), and the bytes of a byte order mark, which stand before the array alone. */
const isBlank = (byte: number): boolean => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)
const isMark = (byte: number): boolean => byte === 0xef || byte === 0xbb || byte === 0xbf

const notAnArray = 'the body is no JSON array: it starts with "[", and its items are the documents'

/**
 * Gives the items that each chunk completes, each under the line where it begins. What stands between two commas is an item, whatever
 * it is: whoever parses it finds what is wrong. A body that is no array, or one that does not end or goes on
 * behind its end, is a fault of the line where that shows.
 */
export async function* readArrayItems(source: AsyncIterable<Uint8Array>): AsyncGenerator<Line[]> {
  let place: 'before' | 'inside' | 'after' = 'before'
  let line = 1
  /** Of the item at hand. */
  let parts: Buffer[] = []
  let bytes = 0
  let begins = 0
  let depth = 0
  let inText = false
  let escaped = false
  let items = 0
  const take = (part: Buffer) => {
    bytes += part.length
    if (bytes <= lineBytesMax) parts.push(part)
    else parts = []
  }
  const finish = (): Line => {
    const item = readItem(begins || line, parts, bytes)
    parts = []
    bytes = 0
    begins = 0
    items += 1
    return item
  }
  for await (const given of source) {
    const chunk = Buffer.from(given.buffer, given.byteOffset, given.byteLength)
    const found: Line[] = []
    let from = 0
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0
      if (byte === lineFeed) line += 1
      if (place === 'inside') {
        if (begins === 0 && !isBlank(byte) && byte !== comma && byte !== closeArray) begins = line
        if (inText) {
          if (escaped) escaped = false
          else if (byte === backslash) escaped = true
          else if (byte === quote) inText = false
        } else if (byte === quote) inText = true
        else if (byte === openObject || byte === openArray) depth += 1
        else if (depth > 0 && (byte === closeObject || byte === closeArray)) depth -= 1
        else if (depth === 0 && (byte === comma || byte === closeArray)) {
          take(chunk.subarray(from, at))
          from = at + 1
          // Only an array of nothing may have nothing before its end.
          if (byte === comma || begins > 0 || items > 0) found.push(finish())
          if (byte === closeArray) place = 'after'
        }
      } else if (place === 'before' && byte === openArray) {
        place = 'inside'
        from = at + 1
      } else if (place === 'before' && !isBlank(byte) && !(line === 1 && isMark(byte))) {
        yield [{ number: line, text: '', fault: notAnArray }]
        return
      } else if (place === 'after' && !isBlank(byte)) {
        const fault = 'something stands behind the end of the array; nothing from here on was read'
        yield [...found, { number: line, text: '', fault, breaksOff: true }]
        return
      }
    }
    if (place === 'inside') take(chunk.subarray(from))
    yield found
  }
  if (place === 'before') yield [{ number: line, text: '', fault: notAnArray }]
  if (place === 'inside') {
    const fault = 'the stream ends before the "]" of the array: what should stand from here on is missing'
    yield [{ number: line, text: '', fault, breaksOff: true }]
  }
}

const readItem = (number: number, parts: Buffer[], bytes: number): Line => {
  if (bytes > lineBytesMax)
    return { number, text: '', fault: `the document is longer than ${lineBytesMax} bytes` }
  const item = Buffer.concat(parts)
  if (!isUtf8(item)) return { number, text: '', fault: 'the document is not UTF-8' }
  const text = item.toString()
  return text.trim() === ''
    ? { number, text, fault: 'a document is missing before or behind the comma' }
    : { number, text }
}
