/** A stream of documents into a generation, read only as fast as the engine takes it. */
import type { ErrorPlace } from '@querent/contract/errors'
import type { ImportReply } from '@querent/contract/query'
import type { EngineDocument, LinesRead } from '#engines/engine'
import { Problem } from '#errors'
import type { DocumentReader } from './entity.ts'
import { type Line, lineOf, readBlocks, tooLong } from './lines.ts'

/** Of the errors that a reply shows; `rejected` counts them all. */
const errorsShownMax = 100
/** A batch is one transaction of the engine: large enough to share its cost, small enough to hold two of them. */
const batchDocumentsMax = 1000
const batchCharsMax = 1024 * 1024

interface Import {
  lines: AsyncIterable<Line[]>
  reader: DocumentReader
  /** Durable when it resolves, to the places of those that it had to leave out. */
  write: (documents: EngineDocument[]) => Promise<ReadonlySet<number>>
  /** What is said of those. */
  leftOut: string
  /** A stream that breaks off is refused: what came of it is no whole. */
  whole?: boolean
}

/**
 * Writes what can be read, and says of the rest in which line it stands and what is wrong. While one batch is written the next is
 * read: two are held, no more. Throws what `lines` or `write` throws, once nothing is being written any more, and 400 for a stream that
 * breaks off and is to be whole; of another the errors say that, however many there are.
 */
export const importLines = async ({
  lines,
  reader,
  write,
  leftOut,
  whole = false,
}: Import): Promise<ImportReply> => {
  let accepted = 0
  let rejected = 0
  const errors: ErrorPlace[] = []
  let batch: EngineDocument[] = []
  /** Their lines. */
  let numbers: number[] = []
  let batchChars = 0
  let writing: Promise<void> = Promise.resolve()
  const reject = (line: number, message: string) => {
    rejected += 1
    if (errors.length < errorsShownMax) errors.push({ line, message })
  }
  const writeBatch = async () => {
    const full = batch
    const fullNumbers = numbers
    batch = []
    numbers = []
    batchChars = 0
    await writing
    writing = write(full).then(left => {
      accepted += full.length - left.size
      for (const at of left) reject(fullNumbers[at] ?? 0, leftOut)
    })
    // Whoever awaits `writing` next gets the failure; until then it is nobody's.
    writing.catch(() => {})
  }
  try {
    for await (const chunk of lines)
      for (const { number, text, document: given, fault, breaksOff } of chunk) {
        if (fault !== undefined) {
          if (breaksOff && whole) throw brokenOff(number, fault)
          if (breaksOff) errors.splice(errorsShownMax - 1)
          reject(number, fault)
        } else if (given !== undefined || !isBlank(text)) {
          const document = given === undefined ? readLine(reader, text) : reader.read(given)
          if ('message' in document) reject(number, document.message)
          else {
            batch.push(document)
            numbers.push(number)
            batchChars += document.entity.length
            if (batch.length >= batchDocumentsMax || batchChars >= batchCharsMax) await writeBatch()
          }
        }
      }
    if (batch.length > 0) await writeBatch()
    await writing
  } catch (error) {
    await Promise.allSettled([writing])
    throw error
  }
  // Those that were left out are told when their batch was written.
  errors.sort((one, other) => (one.line ?? 0) - (other.line ?? 0))
  return { accepted, rejected, errors }
}

interface BlockImport {
  body: AsyncIterable<Uint8Array>
  reader: DocumentReader
  readLines: (block: Buffer) => Promise<LinesRead>
  /** Durable when it resolves; `others` take the places of the lines that were left. */
  write: (read: LinesRead, others: readonly (EngineDocument | undefined)[]) => Promise<void>
}

/** As {@link importLines}, of lines that the engine reads as far as it can; the rest is read here, so that what is said of it is the same. */
export const importBlocks = async ({ body, reader, readLines, write }: BlockImport): Promise<ImportReply> => {
  let accepted = 0
  let rejected = 0
  let number = 1
  const errors: ErrorPlace[] = []
  let writing: Promise<void> = Promise.resolve()
  const reject = (line: number, message: string) => {
    rejected += 1
    if (errors.length < errorsShownMax) errors.push({ line, message })
  }
  const readHere = ({ number, text, fault }: Line): EngineDocument | undefined => {
    if (fault === undefined && isBlank(text)) return undefined
    const document = fault === undefined ? readLine(reader, text) : { message: fault }
    if (!('message' in document)) return document
    reject(number, document.message)
    return undefined
  }
  try {
    for await (const block of readBlocks(body)) {
      if (!block) {
        reject(number++, tooLong())
        continue
      }
      // Meanwhile the block before is written.
      const read = await readLines(block)
      const first = number
      number += read.lines
      const others = read.left.map(({ at, from, to }) =>
        readHere(lineOf(block.subarray(from, to), first + at)),
      )
      const documents = read.lines - others.filter(other => other === undefined).length
      await writing
      if (documents === 0) continue
      writing = write(read, others).then(() => {
        accepted += documents
      })
      // Whoever awaits `writing` next gets the failure; until then it is nobody's.
      writing.catch(() => {})
    }
    await writing
  } catch (error) {
    await Promise.allSettled([writing])
    throw error
  }
  return { accepted, rejected, errors }
}

const brokenOff = (line: number, message: string): Problem =>
  new Problem('bad-documents', `nothing was replaced, for the stream broke off; line ${line}: ${message}`, {
    errors: [{ line, message }],
  })

const isBlank = (text: string): boolean => text.trim() === ''

const readLine = (reader: DocumentReader, text: string): EngineDocument | { message: string } => {
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch (error) {
    return { message: `this is no JSON: ${error instanceof Error ? error.message : String(error)}` }
  }
  return reader.read(document)
}
