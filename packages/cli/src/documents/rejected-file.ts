/** Writes the rejected documents of an import to a file, to correct and import them. */
import { createWriteStream } from 'node:fs'
import { resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { DocumentFormat } from '@querent/contract/document-format'
import { detectEncoding } from '@querent/contract/file-sample'
import type { ImportReply } from '@querent/contract/query'
import {
  isRejectedPlace,
  listRejectedPlaces,
  type PlaceRange,
  pickRejectedLines,
} from '@querent/contract/rejected-lines'
import { UsageError } from '#command-line/failure'
import { createWriteError } from '#command-line/file-failure'
import { openSource } from './file-source.ts'
import { type Input, openInputs } from './open-inputs.ts'

interface RejectedFile {
  path: string
  /** The imported files. They are read again. */
  files: readonly string[]
  format: DocumentFormat
  /** Encoding that the command stated, if any. */
  encoding: string | undefined
  /** Path of the list of documents in a JSON file, if it is not the longest. */
  rows: string | undefined
}

/** The parts of a reply that say where the rejected documents are, and how the files were read. */
export type RejectedPlaces = Pick<ImportReply, 'errors' | 'rejectedAt' | 'encoding'>

/** Throws {@link UsageError} for files that cannot be read again, and for a path that is one of them. */
export const checkRejectedPath = (path: string, files: readonly string[], inputs: readonly Input[]): void => {
  if (inputs.some(({ size }) => size === undefined))
    throw new UsageError('--rejected reads the files again: save standard input as a file, and import that')
  if (files.some(file => resolve(file) === resolve(path)))
    throw new UsageError(`--rejected: ${path} is imported, choose another name`)
}

/** Lines stay as they are, below the header line of a table. Documents of a JSON file become lines. The text is UTF-8. */
export const writeRejectedFile = async (
  { path, files, format, encoding, rows }: RejectedFile,
  reply: RejectedPlaces,
): Promise<void> => {
  const isTable = format === 'csv' || format === 'tsv'
  const places = listRejectedPlaces(reply)
  const inputs = await openInputs(files, isTable)
  const label = encoding ?? reply.encoding ?? detectEncoding(inputs[0]?.beginning ?? new Uint8Array())
  const openText = async function* () {
    const { bytes } = await openSource(await openInputs(files, isTable), isTable)
    const decoder = new TextDecoder(label)
    for await (const chunk of bytes) yield decoder.decode(chunk, { stream: true })
    yield decoder.decode()
  }
  const lines =
    format === 'json'
      ? pickJsonDocuments((await openSource(inputs)).bytes, places, rows)
      : pickRejectedLines(openText, places, isTable)
  await pipeline(Readable.from(lines), createWriteStream(path)).catch((error: unknown) => {
    throw createWriteError(path, error)
  })
}

async function* pickJsonDocuments(
  bytes: AsyncIterable<Uint8Array>,
  places: readonly PlaceRange[],
  rows: string | undefined,
): AsyncGenerator<string> {
  const { listJsonDocuments } = await import('@querent/server/proposals/list-json-documents')
  for await (const { index, text } of listJsonDocuments(bytes, rows))
    if (isRejectedPlace(places, index)) yield `${text}\n`
}
