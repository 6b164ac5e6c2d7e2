/** Imports a stream of documents into a generation, at the pace of the engine. */
import { parseExactJson } from '@querent/contract/exact-json'
import type { ImportReply } from '@querent/contract/query'
import type { EngineDocument, LinesRead } from '#engines/engine'
import { Problem } from '#errors'
import { createTimeSlice } from '#memory/time-slice'
import { hasTooManyParts, suspectCharactersMin, tooManyParts } from './document-size.ts'
import type { DocumentReader } from './entity.ts'
import { createIdCounter } from './id-counter.ts'
import { findLineFault, writeFaultPlace } from './line-fault.ts'
import { decodeLine, endlessDocument, type Line, readBlocks, tooLong } from './lines.ts'
import { createRejections, describePlace, type Place, type Rejected } from './rejections.ts'

/**
 * A batch is one engine transaction: large enough to share its cost, small enough to hold two of them in
 * memory.
 */
const batchDocumentsMax = 1000
const batchCharsMax = 1024 * 1024

interface BatchImport<T> {
  lines: AsyncIterable<Line[]>
  /** Reads a parsed document, the `row`th of the stream, or says what is wrong with it. */
  read: (document: unknown, row: number) => T | { message: string }
  /** Size in memory, in characters. */
  measure: (document: T) => number
  /** Writes durably and resolves to the reasons why documents were not written, by index. */
  write: (documents: T[], places: readonly Place[]) => Promise<ReadonlyMap<number, string>>
  /** Rejects a stream that breaks off. */
  mustBeComplete?: boolean
}

/**
 * Writes the readable documents in batches and reports the line and the error of all others. Reads the next batch while
 * one is being written, and holds no more than two. Throws the errors of `lines` and `write` after pending
 * writes have ended. If a stream breaks off, throws 400 with `mustBeComplete`; otherwise the reply always has
 * that error.
 */
export const importBatches = async <T extends object>({
  lines,
  read,
  measure,
  write,
  mustBeComplete = false,
}: BatchImport<T>): Promise<Rejected> => {
  const rejections = createRejections()
  const batches = createBatches({ measure, write }, rejections)
  /** Position of the last document. */
  let row = 0
  const pauseForOthers = createTimeSlice()
  /** Returns undefined for a blank line, and for one that is rejected. */
  const readNext = (line: Line, place: Place): T | undefined => {
    const { text, document: parsed, fault, breaksOff } = line
    if (fault !== undefined) {
      if (breaksOff && mustBeComplete) throw brokenStream(place, fault)
      if (breaksOff) rejections.addEnd(place, fault)
      else rejections.add(place, fault)
      return undefined
    }
    if (parsed === undefined && isBlank(text)) return undefined
    row += 1
    const document = parsed === undefined ? readLine(json => read(json, row), line) : read(parsed, row)
    if (!('message' in document)) return document
    rejections.add(place, document.message)
    return undefined
  }
  try {
    for await (const chunk of lines)
      for (const line of chunk) {
        const place = line.index === undefined ? { line: line.number } : { index: line.index }
        const document = readNext(line, place)
        if (document && batches.add(document, place)) await batches.write()
        const pause = pauseForOthers()
        if (pause) await pause
      }
    await batches.end()
  } catch (error) {
    await batches.settle()
    throw error
  }
  return rejections.read()
}

/** Collects documents for the next write, while one is running. */
const createBatches = <T extends object>(
  { measure, write }: Pick<BatchImport<T>, 'measure' | 'write'>,
  rejections: Pick<ReturnType<typeof createRejections>, 'add'>,
) => {
  const writes = createWriteChain()
  let batch: T[] = []
  /** Where the documents of the batch are. */
  let places: Place[] = []
  let batchChars = 0
  const writeBatch = async (): Promise<void> => {
    const full = batch
    const fullPlaces = places
    batch = []
    places = []
    batchChars = 0
    await writes.start(() =>
      write(full, fullPlaces).then(skipped => {
        for (const [index, message] of skipped) rejections.add(fullPlaces[index] ?? {}, message)
      }),
    )
  }
  return {
    /** Returns whether the batch is full: then write it. */
    add(document: T, place: Place): boolean {
      batch.push(document)
      places.push(place)
      batchChars += measure(document)
      return batch.length >= batchDocumentsMax || batchChars >= batchCharsMax
    },
    write: writeBatch,
    async end(): Promise<void> {
      if (batch.length > 0) await writeBatch()
      await writes.end()
    },
    settle: writes.settle,
  }
}

/** Runs one write after the other. The caller prepares the next one meanwhile. */
const createWriteChain = () => {
  let writing: Promise<void> = Promise.resolve()
  return {
    /** Resolves when the previous write has ended and this one has started. Rejects if the previous one failed. */
    async start(write: () => Promise<void>): Promise<void> {
      await writing
      writing = write()
      // The next `await writing` throws the failure; until then it is not unhandled.
      writing.catch(() => {})
    },
    /** Rejects if the last write failed. */
    end: () => writing,
    /** Resolves when no write is running. */
    settle: () => Promise.allSettled([writing]),
  }
}

interface LineImport {
  lines: AsyncIterable<Line[]>
  reader: DocumentReader
  /** Writes durably and resolves to the indexes of skipped documents. */
  write: (documents: EngineDocument[]) => Promise<ReadonlySet<number>>
  /** Error message of skipped documents. */
  skippedMessage: string
  /** Rejects a stream that breaks off. */
  mustBeComplete?: boolean
}

/** Imports documents with {@link importBatches}. */
export const importLines = async ({
  lines,
  reader,
  write,
  skippedMessage,
  mustBeComplete = false,
}: LineImport): Promise<ImportReply> => {
  const idCounter = createIdCounter()
  const rejected = await importBatches<EngineDocument>({
    lines,
    read: (document, row) => reader.read(document, { row }),
    measure: ({ entity }) => entity.length,
    write: async documents => {
      const skipped = await write(documents)
      for (const [index, { id }] of documents.entries()) if (!skipped.has(index)) idCounter.add(id)
      return new Map([...skipped].map(index => [index, skippedMessage]))
    },
    mustBeComplete,
  })
  return { ...idCounter.counts(), ...rejected }
}

interface BlockImport {
  body: AsyncIterable<Uint8Array>
  reader: DocumentReader
  readLines: (block: Buffer) => Promise<LinesRead>
  /** Writes durably. `fallbackDocuments` are those that the engine did not read itself. */
  write: (read: LinesRead, fallbackDocuments: readonly (EngineDocument | undefined)[]) => Promise<void>
  /** Rejects a stream that breaks off. */
  mustBeComplete?: boolean
}

/**
 * Like {@link importLines}, for lines that the engine parses itself. Lines it cannot read are read here, so
 * that the messages are the same.
 */
export const importBlocks = async ({
  body,
  reader,
  readLines,
  write,
  mustBeComplete = false,
}: BlockImport): Promise<ImportReply> => {
  const idCounter = createIdCounter()
  const rejections = createRejections()
  const writes = createWriteChain()
  let number = 1
  const pauseForOthers = createTimeSlice()
  const readFallback = (line: Line): EngineDocument | undefined => {
    const { number, text, fault } = line
    if (fault === undefined && isBlank(text)) return undefined
    const document = fault === undefined ? readLine(reader.read, line) : { message: fault }
    if (!('message' in document)) return document
    rejections.add({ line: number }, document.message)
    return undefined
  }
  try {
    for await (const block of readBlocks(body)) {
      if (!block) {
        rejections.add({ line: number++ }, tooLong())
        continue
      }
      if (block === 'endless') {
        if (mustBeComplete) throw brokenStream({ line: number }, endlessDocument)
        rejections.addEnd({ line: number }, endlessDocument)
        break
      }
      const oversized = markOversizedLines(block)
      // The previous block is being written meanwhile.
      const read = await readLines(block)
      const first = number
      number += read.lines
      const fallbackDocuments: (EngineDocument | undefined)[] = []
      for (const { at: index, from: start, to: end } of read.left) {
        const line = decodeLine(block.subarray(start, end), first + index)
        if (oversized.has(start)) line.fault ??= tooManyParts
        fallbackDocuments.push(readFallback(line))
        const pause = pauseForOthers()
        if (pause) await pause
      }
      const documents = read.lines - fallbackDocuments.filter(document => document === undefined).length
      if (documents === 0) await writes.end()
      else
        await writes.start(() =>
          write(read, fallbackDocuments).then(() => {
            for (const id of listIds(read, fallbackDocuments)) idCounter.add(id)
          }),
        )
    }
    await writes.end()
  } catch (error) {
    await writes.settle()
    throw error
  }
  return { ...idCounter.counts(), ...rejections.read() }
}

/** The ids of the documents of a block in the order of its lines: those that the engine has read, and those that it left. */
function* listIds(
  { lines, ids, left }: Pick<LinesRead, 'lines' | 'ids' | 'left'>,
  fallbackDocuments: readonly (EngineDocument | undefined)[],
): Generator<string> {
  let [nextRead, nextLeft] = [0, 0]
  for (let line = 0; line < lines; line++) {
    const id = left[nextLeft]?.at === line ? fallbackDocuments[nextLeft++]?.id : ids[nextRead++]
    if (id !== undefined) yield id
  }
}

const lineFeed = 0x0a

/**
 * Finds the lines with too many fields, objects or lists, by their first byte. The engine does not count them, so they get a first byte
 * that no document has, and the engine leaves them to the caller.
 */
const markOversizedLines = (block: Buffer): ReadonlySet<number> => {
  const starts = new Set<number>()
  for (let start = 0; start < block.length; ) {
    const lineEnd = block.indexOf(lineFeed, start)
    const end = lineEnd < 0 ? block.length : lineEnd
    if (end - start >= suspectCharactersMin && hasTooManyParts(block.toString('latin1', start, end))) {
      starts.add(start)
      block[start] = notJson
    }
    start = end + 1
  }
  return starts
}
const notJson = 'x'.charCodeAt(0)

const brokenStream = (place: Place, message: string): Problem =>
  new Problem(
    'bad-documents',
    `nothing was replaced because the stream broke off; ${describePlace(place)}: ${message}`,
    { errors: [{ ...place, message }] },
  )

const isBlank = (text: string): boolean => text.trim() === ''

const readLine = <T>(
  read: (document: unknown) => T | { message: string },
  line: Line,
): T | { message: string } => {
  const { text } = line
  if (hasTooManyParts(text)) return { message: tooManyParts }
  let document: unknown
  try {
    document = parseExactJson(text)
  } catch {
    return { message: describeSyntax(line) }
  }
  return read(document)
}

/** Says where the text of a document stops being JSON. The place of an item of a list is its index, so its line is named here. */
const describeSyntax = (line: Line): string => {
  const fault = findLineFault(line)
  if (!fault) return 'this is not JSON'
  const place = line.index === undefined ? `column ${fault.column}` : writeFaultPlace(fault)
  return `this is not JSON at ${place}: ${fault.message}`
}
