/** Opens files and standard input, and reads their beginnings without losing anything. */
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { beginningCharactersMax } from '@querent/contract/document-format'
import { CommandError, UsageError } from '#command-line/failure'
import { createReadError } from '#command-line/file-failure'

/** A file, or standard input (`-`). */
export interface Input {
  file: string
  /** Bytes of a regular file; undefined for pipes, which can be read only once. */
  size: number | undefined
  /** Whether the file itself is gzip. Everything else here is decompressed. */
  isCompressed: boolean
  /** At most a line of documents. */
  beginning: Buffer
  /** Yields the bytes from `start` on. `onRead` receives the number of bytes read from the file. Throws {@link CommandError} for broken gzip. */
  read: (start: number, onRead: (bytes: number) => void) => AsyncIterable<Buffer>
}

/**
 * Opens the inputs. `isTable`: they have header lines, so several of them must be regular files. Throws {@link CommandError} for an unreadable
 * file, and {@link UsageError} for a pipe among several tables.
 */
export const openInputs = async (files: readonly string[], isTable = false): Promise<Input[]> => {
  const sizes = await Promise.all(files.map(readSize))
  if (isTable) rejectPipes(files.map((file, index) => ({ file, size: sizes[index] })))
  return Promise.all(
    files.map((file, index) => {
      const size = sizes[index]
      return size === undefined ? openPipe(file) : openRegularFile(file, size)
    }),
  )
}

/** Throws {@link UsageError} for a pipe among several tables, whose header lines are read twice. */
export const rejectPipes = (inputs: readonly Pick<Input, 'file' | 'size'>[]): void => {
  const pipe = inputs.length > 1 ? inputs.find(({ size }) => size === undefined) : undefined
  if (pipe !== undefined)
    throw new UsageError(
      `${pipe.file} is not a regular file, so its csv cannot be combined with other files: name regular files, or pipe everything to standard input (-)`,
    )
}

const openRegularFile = async (file: string, size: number): Promise<Input> => {
  const open = (start: number, onRead: (bytes: number) => void): Chunks =>
    countBytes(createReadStream(file, { start, highWaterMark: 256 * 1024 }), onRead)
  const magic = await peek(
    open(0, () => {}),
    file,
    isMagicRead,
  )
  await magic.close()
  const isCompressed = isGzip(magic.bytes)
  const decompress = (onRead: (bytes: number) => void): Chunks => unpack(open(0, onRead), file)
  const beginning = await peek(isCompressed ? decompress(() => {}) : open(0, () => {}), file)
  await beginning.close()
  return {
    file,
    size,
    isCompressed,
    beginning: beginning.bytes,
    // Only the beginning of uncompressed files is ever skipped.
    read: (start, onRead) => (isCompressed ? decompress(onRead) : open(start, onRead)),
  }
}

const openPipe = async (file: string): Promise<Input> => {
  let countRead = (_bytes: number) => {}
  const source: AsyncIterable<Buffer> = file === '-' ? process.stdin : createReadStream(file)
  const raw = await peek(
    countBytes(source, bytes => countRead(bytes)),
    file,
    isMagicRead,
  )
  const isCompressed = isGzip(raw.bytes)
  const { bytes, replay } = await peek(isCompressed ? unpack(raw.replay, file) : raw.replay, file)
  let bytesRead = raw.bytes.length
  countRead = count => {
    bytesRead += count
  }
  return {
    file,
    size: undefined,
    isCompressed,
    beginning: bytes,
    async *read(_start, onRead) {
      onRead(bytesRead)
      countRead = onRead
      yield* replay
    },
  }
}

type Chunks = AsyncIterable<Buffer>

/** Two bytes tell whether it is gzip (RFC 1952, section 2.3.1). */
const isMagicRead = (bytes: number): boolean => bytes >= 2
const isGzip = (bytes: Buffer): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b

/** Enough to detect the format: a line, or the longest one that is accepted. A program may write the next one much later. */
const isBeginningRead = (bytes: number, lastChunk: Buffer): boolean =>
  bytes >= beginningCharactersMax || lastChunk.includes('\n')

/** Reads until there is enough. `replay` yields everything again from the start. */
const peek = async (
  chunks: Chunks,
  file: string,
  isEnough: (bytes: number, lastChunk: Buffer) => boolean = isBeginningRead,
): Promise<{ bytes: Buffer; replay: Chunks; close: () => Promise<void> }> => {
  const iterator = chunks[Symbol.asyncIterator]()
  const read: Buffer[] = []
  let bytes = 0
  const next = () =>
    iterator.next().catch((error: unknown) => {
      throw error instanceof CommandError ? error : createReadError(file, error)
    })
  for (let part = await next(); !part.done; part = await next()) {
    read.push(part.value)
    bytes += part.value.length
    if (isEnough(bytes, part.value)) break
  }
  const replay = async function* () {
    yield* read
    for (let part = await next(); !part.done; part = await next()) yield part.value
  }
  const close = async () => {
    await iterator.return?.()
  }
  return { bytes: Buffer.concat(read), replay: replay(), close }
}

async function* countBytes(chunks: Chunks, onRead: (bytes: number) => void): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    onRead(chunk.length)
    yield chunk
  }
}

/** Throws {@link CommandError} if the file is not gzip, or is cut off. */
async function* unpack(chunks: Chunks, file: string): AsyncGenerator<Buffer> {
  const gunzip = createGunzip()
  // Reading from gunzip throws the same error.
  pipeline(Readable.from(chunks, { objectMode: false }), gunzip).catch(() => {})
  try {
    yield* gunzip as AsyncIterable<Buffer>
  } catch (error) {
    throw createReadError(file, error)
  }
}

/** Returns the bytes of a file, or undefined for standard input and other streams without a size, such as pipes. */
const readSize = async (file: string): Promise<number | undefined> => {
  if (file === '-') return undefined
  const stats = await stat(file).catch((error: unknown) => {
    throw createReadError(file, error)
  })
  if (stats.isDirectory()) throw new CommandError(`${file} is a folder: name the files in it`)
  return stats.isFile() ? stats.size : undefined
}
