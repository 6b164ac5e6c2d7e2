import { detectEncoding, sampleBeginningBytes } from '@querent/contract/file-sample'
import { isGzip } from '#api/documents.ts'

/** Yields the text of a file in pieces, decompressed. Reads no further than the caller does. */
export async function* readText(file: File): AsyncGenerator<string> {
  const bytes = isGzip(file.name) ? file.stream().pipeThrough(new DecompressionStream('gzip')) : file.stream()
  const reader = bytes.getReader()
  // The byte order mark stays, so that lengths are those of the file.
  const decoder = new TextDecoder(await findEncoding(file), { ignoreBOM: true })
  try {
    for (let chunk = await reader.read(); chunk.value; chunk = await reader.read())
      yield decoder.decode(chunk.value, { stream: true })
  } finally {
    await reader.cancel()
  }
}

/** Returns the beginning of the text of a file, and whether more of it follows. */
export const readBeginning = async (
  file: File,
  charactersMax: number,
): Promise<{ text: string; isCut: boolean }> => {
  let text = ''
  for await (const part of readText(file)) {
    text += part
    if (text.length > charactersMax) return { text: text.slice(0, charactersMax), isCut: true }
  }
  return { text, isCut: false }
}

/** Returns the encoding that an import would find; a compressed file is taken for UTF-8. */
const findEncoding = async (file: File): Promise<string> =>
  isGzip(file.name)
    ? 'utf-8'
    : detectEncoding(new Uint8Array(await file.slice(0, sampleBeginningBytes).arrayBuffer()))
