/** One import while it runs: its documents, and the ways to write them. */
import type { ImportReply, UpdateReply } from '@querent/contract/query'
import type { Collection } from '@querent/contract/workspace-file'
import type { EngineDocument, LinesRead } from '#engines/engine'
import { toEngineProblem } from '#http/engine-problem'
import type { DocumentsContext, DocumentsDependencies } from './admit.ts'
import { readBulkLines } from './bulk-lines.ts'
import { importBlocks, importLines } from './import.ts'
import { type ImportOptions, type ReadOptions, streamReaders } from './import-options.ts'
import type { Line } from './lines.ts'
import { asWrite } from './live-generation.ts'
import type { StreamFormat } from './media-type.ts'
import { NothingAccepted } from './nothing-accepted.ts'
import type { ImportCounter } from './progress.ts'
import { hiddenMessage } from './row-filter.ts'
import { type Encoding, readJsonText } from './text-encoding.ts'

/** An import that was authorized and whose options fit. */
export interface ImportRun {
  deps: DocumentsDependencies
  context: DocumentsContext
  options: ImportOptions
  source: ImportSource
  counter: ImportCounter
}

export interface ImportSource {
  format: StreamFormat
  body: AsyncIterable<Uint8Array>
  /** Reads the body to its end; call it once. */
  readLines(): AsyncIterable<Line[]>
  /** Adds the encoding to the reply if it is not UTF-8. */
  withEncoding<T extends ImportReply | UpdateReply>(done: T): T
}

/** `encoding`: the one that the request's header states. An option comes before it. */
export const createImportSource = (
  original: AsyncIterable<Uint8Array>,
  { format, encoding: statedEncoding }: { format: StreamFormat; encoding?: Encoding | undefined },
  collection: Collection,
  { delimiter, rows, encoding = statedEncoding }: ReadOptions,
): ImportSource => {
  const body = format === 'lines' ? readBulkLines(readJsonText(original)) : original
  let detectedEncoding: Encoding | undefined
  const onEncoding = (detected: Encoding) => {
    detectedEncoding = detected
  }
  return {
    format,
    body,
    readLines: () => streamReaders[format](body, collection, { delimiter, rows, encoding, onEncoding }),
    withEncoding: done => (detectedEncoding === undefined ? done : { ...done, encoding: detectedEncoding }),
  }
}

export interface DocumentWriters {
  /** Writes durably and resolves to the indexes of skipped documents. */
  writeDocuments(documents: EngineDocument[]): Promise<ReadonlySet<number>>
  /** Writes lines that the engine has read. `fallbackDocuments` are those that it did not read itself. */
  writeBlock(read: LinesRead, fallbackDocuments: readonly (EngineDocument | undefined)[]): Promise<void>
}

/** Imports whole documents through the given writers. The engine parses the lines itself where it can. */
export const importDocuments = (run: ImportRun, writers: DocumentWriters): Promise<ImportReply> => {
  const { source, counter, options } = run
  const { reader } = run.context
  const { rules } = reader
  const { readLines } = run.deps.engine
  const mustBeComplete = options.replace
  if (source.format === 'lines' && rules && readLines)
    return importBlocks({
      body: source.body,
      reader,
      readLines: block => readLines(block, rules),
      mustBeComplete,
      write: async (read, fallbackDocuments) => {
        await writers.writeBlock(read, fallbackDocuments)
        counter.addDocuments(read.lines - fallbackDocuments.filter(document => document === undefined).length)
      },
    })
  return importLines({
    lines: source.readLines(),
    reader,
    skippedMessage: hiddenMessage,
    mustBeComplete,
    write: async documents => {
      const skipped = await writers.writeDocuments(documents)
      counter.addDocuments(documents.length - skipped.size)
      return skipped
    },
  })
}

/** Fills a scratch generation, which takes effect only when it is complete. */
export const fillScratch = async (run: ImportRun, scratch: string): Promise<ImportReply> => {
  const { deps, context, source, options } = run
  const live = deps.collections.live(context.workspace.id, context.name)?.id
  const imported = await importDocuments(run, {
    async writeDocuments(documents) {
      await context.confirm()
      const { collection } = context
      const prepared = await deps.embedding?.keepVectors({ collection }, live, documents)
      await deps.engine.write(scratch, (prepared?.documents ?? documents).map(asWrite))
      return new Set<number>()
    },
    async writeBlock(read, fallbackDocuments) {
      await context.confirm()
      await read.write(scratch, fallbackDocuments)
    },
  })
  const done = source.withEncoding(imported)
  if (done.accepted === 0 || (options.strict && done.rejected > 0)) throw new NothingAccepted(done)
  return done
}

/** Turns engine errors into Problems, and resets the counter if the import as a whole fails. */
export const allOrNothing = <T>({ counter }: ImportRun, work: Promise<T>): Promise<T> =>
  work.catch(error => {
    counter.reset()
    throw toEngineProblem(error)
  })
