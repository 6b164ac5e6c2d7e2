/** Finds the lines on which the records of a CSV file begin. */
import { isUtf8 } from 'node:buffer'
import { createTimeSlice } from '#memory/time-slice'

/** Bytes that the parser reads in one step. */
const stepBytes = 16 * 1024
const lineFeed = 0x0a

/**
 * Locates records by line. Counts line ends in the bytes, because the library counts those inside quotes
 * differently. `firstLine`: the line on which the first one begins.
 */
export const createRecordLocator = (firstLine = 1) => {
  let chunks: Buffer[] = []
  /** Position where `chunks` begins. */
  let passedBytes = 0
  let passedLines = firstLine - 1
  let isNotUtf8 = false
  let incompleteCharacter = Buffer.alloc(0)
  /** Drops the bytes before `end`. */
  const passUntil = (end: number) => {
    while (passedBytes < end) {
      const [first] = chunks
      if (!first) return
      const part = first.subarray(0, end - passedBytes)
      passedLines += lineFeedsIn(part)
      passedBytes += part.length
      if (part.length === first.length) chunks = chunks.slice(1)
      else chunks[0] = first.subarray(part.length)
    }
  }
  /** Returns the retained bytes before `end`. */
  const bytesTo = (end: number): Buffer => {
    const parts: Buffer[] = []
    let offset = passedBytes
    for (const chunk of chunks) {
      if (offset >= end) break
      parts.push(chunk.subarray(0, end - offset))
      offset += chunk.length
    }
    return Buffer.concat(parts)
  }
  return {
    /** Retains the bytes until their records are located. Reads no further when `isOver`, because nothing after it is used. */
    async *track(source: AsyncIterable<Uint8Array>, isOver: () => boolean): AsyncGenerator<Buffer> {
      const pauseForOthers = createTimeSlice()
      for await (const bytes of source) {
        const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
        if (!isNotUtf8) {
          const joined =
            incompleteCharacter.length === 0 ? chunk : Buffer.concat([incompleteCharacter, chunk])
          const end = completeCharactersEnd(joined)
          isNotUtf8 = !isUtf8(joined.subarray(0, end))
          incompleteCharacter = Buffer.from(joined.subarray(end))
        }
        chunks.push(chunk)
        for (let start = 0; start < chunk.length; start += stepBytes) {
          if (isOver()) return
          yield chunk.subarray(start, start + stepBytes)
          const pause = pauseForOthers()
          if (pause) await pause
        }
      }
      isNotUtf8 ||= incompleteCharacter.length > 0
    },
    /** Returns the first line of the record that ends at byte `end`, line end included. Call it in order. */
    take(cells: string[], end: number): { number: number; isNotUtf8: boolean } {
      const isRecordNotUtf8 = isNotUtf8 && !isUtf8(bytesTo(end))
      // Stop before the record's own line end; the last record may have none.
      passUntil(end - 1)
      let inside = 0
      for (const cell of cells)
        for (let position = cell.indexOf('\n'); position >= 0; position = cell.indexOf('\n', position + 1))
          inside += 1
      const number = 1 + passedLines - inside
      passUntil(end)
      return { number, isNotUtf8: isRecordNotUtf8 }
    },
    nextLine: () => 1 + passedLines,
  }
}

const lineFeedsIn = (bytes: Buffer): number => {
  let count = 0
  for (
    let position = bytes.indexOf(lineFeed);
    position >= 0;
    position = bytes.indexOf(lineFeed, position + 1)
  )
    count += 1
  return count
}

/** Returns where the last incomplete UTF-8 character begins. A character has at most four bytes. */
const completeCharactersEnd = (bytes: Buffer): number => {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) break
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 0
    if (length > 0) return length > back ? bytes.length - back : bytes.length
  }
  return bytes.length
}
