/** Asks the server what it proposes for a file. */
import { detectFormat } from '@querent/contract/document-format'
import {
  decodeSample,
  type FileSample,
  objectBeginningBytes,
  sampleBeginningBytes,
  sampleFile,
  sampleStream,
} from '@querent/contract/file-sample'
import { isGzip } from '#api/documents.ts'
import { management } from '#api/manage.ts'
import { FileRefusal } from '#ui/file-refusal.ts'
import { describeRefusal } from './describe-refusal.ts'
import type { ProposedFile } from './proposed-file.ts'

/** Sends a sample of a file, and returns what the server proposes. `rows`: path of the list of documents in it, instead of the longest. */
export const proposeFor = async (workspace: string, file: File, rows?: string): Promise<ProposedFile> => {
  const refusal = await describeRefusal(file)
  if (refusal !== undefined) throw new FileRefusal(refusal)
  const sample = await readSample(file)
  const decoded = decodeSample(sample)
  const detected = detectFormat(file.name, decoded.text)
  const format = detected === 'tsv' ? 'csv' : detected
  const name = file.name.replace(/\.[^.]*(\.gz)?$/i, '') || file.name
  const proposal = await management.call('proposeCollection', {
    params: { workspace },
    input: { name, format, isCut: sample.isCut, ...decoded, ...(rows === undefined ? {} : { rows }) },
  })
  return { file, proposal, isTable: format === 'csv', ...(rows === undefined ? {} : { rows }) }
}

const readSample = async (file: File): Promise<FileSample> => {
  const isJson = isGzip(file.name)
    ? /\.json\.gz$/i.test(file.name)
    : detectFormat(file.name, await file.slice(0, sampleBeginningBytes).text()) === 'json'
  const bytes = isJson ? objectBeginningBytes : undefined
  return isGzip(file.name)
    ? sampleStream(readChunks(file.stream().pipeThrough(new DecompressionStream('gzip'))), bytes)
    : sampleFile(file, bytes)
}

/** Not all browsers can iterate over a stream. */
async function* readChunks(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader()
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) yield chunk.value
}
