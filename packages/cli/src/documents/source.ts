/** Files as one stream of bytes, counted on the way, so that progress can be shown and a line be traced to its file. */
import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { CommandError, UsageError } from '#command-line/failure'

const newline = 0x0a
const carriageReturn = 0x0d
const quote = 0x22

export interface Source {
  /** Read once. */
  bytes: AsyncIterable<Uint8Array>
  /** Bytes of all files; absent when one of them is standard input. */
  total: number | undefined
  /** What was read so far; `lines` counts line ends. */
  read: { bytes: number; lines: number }
  /** File and line in it of a line of the stream, counted from 1. */
  placeOf: (line: number) => { file: string; line: number }
}

/**
 * The files one after the other; `-` is standard input. Each begins on a line of its own; of several with a header line (`isTable`) that
 * of the first is sent. Throws {@link CommandError} for one that cannot be read, or whose header line is another, before anything is;
 * {@link UsageError} for one of several tables that can be read only once.
 */
export const openSource = async (files: string[], isTable = false): Promise<Source> => {
  const sizes = await Promise.all(files.map(sizeOf))
  const isJoined = isTable && files.length > 1
  const packed = isJoined ? files.find(isPacked) : undefined
  if (packed !== undefined)
    throw new UsageError(
      `${packed} is compressed, and several csv files are joined by their header lines: decompress them, or import each by itself`,
    )
  const stream = isJoined ? files.find((_, at) => sizes[at] === undefined) : undefined
  if (stream !== undefined)
    throw new UsageError(
      `${stream} is no regular file, and csv from such a one stands alone: name regular files, or lead all of it to standard input (-)`,
    )
  const headers = isJoined ? await readHeaders(files) : []
  const total = sizes.includes(undefined)
    ? undefined
    : sizes.reduce((sum: number, size) => sum + (size ?? 0), 0)
  const read = { bytes: 0, lines: 0 }
  /** `afterLines`: lines of the stream before the first of the file, less those `skipped` of it. */
  const starts: { file: string; afterLines: number; skipped: number }[] = []

  const bytes = async function* () {
    let last = newline
    for (const [at, file] of files.entries()) {
      if (last !== newline) {
        read.lines += 1
        yield Buffer.of(newline)
      }
      const { bytes: left, lines: leftLines } = (at > 0 && headers[at]) || { bytes: 0, lines: 0 }
      starts.push({
        file: file === '-' ? 'standard input' : file,
        afterLines: read.lines - leftLines,
        skipped: leftLines,
      })
      read.bytes += left
      const stored =
        file === '-' ? process.stdin : createReadStream(file, { start: left, highWaterMark: 256 * 1024 })
      const counted = counting(stored as AsyncIterable<Buffer>, read)
      for await (const chunk of isPacked(file) ? unpack(counted, file) : counted) {
        read.lines += linesIn(chunk)
        last = chunk.at(-1) ?? last
        yield chunk
      }
    }
  }
  const placeOf = (line: number) => {
    const start = starts.findLast(({ afterLines, skipped }) => afterLines + skipped < line)
    return { file: start?.file ?? files[0] ?? '', line: line - (start?.afterLines ?? 0) }
  }
  return { bytes: bytes(), total, read, placeOf }
}

const isPacked = (file: string): boolean => file.toLowerCase().endsWith('.gz')

async function* counting(chunks: AsyncIterable<Buffer>, read: { bytes: number }): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    read.bytes += chunk.length
    yield chunk
  }
}

/** Throws {@link CommandError} for what is not gzip, or cut off. */
async function* unpack(chunks: AsyncIterable<Buffer>, file: string): AsyncGenerator<Buffer> {
  const gunzip = createGunzip()
  pipeline(Readable.from(chunks, { objectMode: false }), gunzip).catch(() => {})
  try {
    yield* gunzip as AsyncIterable<Buffer>
  } catch (error) {
    throw cannotBeRead(file, error)
  }
}

export const linesIn = (chunk: Buffer): number => {
  let lines = 0
  for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, at + 1)) lines += 1
  return lines
}

/** Longer than any line of columns. */
const headerBytesMax = 1024 * 1024

/** How much of a file its header line is, with its line end. */
interface Header {
  bytes: number
  lines: number
}

/** Throws {@link CommandError} for a file whose columns are not those of the first. */
const readHeaders = async (files: string[]): Promise<Header[]> => {
  const buffer = Buffer.alloc(headerBytesMax)
  const headers: Header[] = []
  let expected: string | undefined
  for (const file of files) {
    const header = await readHeader(file, buffer)
    const columns = columnsIn(header)
    expected ??= columns
    if (columns !== expected)
      throw new CommandError(
        `${file} has other columns than ${files[0]}: import it by a command of its own; found ${columns}, expected ${expected}`,
      )
    headers.push({ bytes: header.length, lines: linesIn(header) })
  }
  return headers
}

/** Its bytes, which stand in the buffer. */
const readHeader = async (file: string, buffer: Buffer): Promise<Buffer> => {
  const handle = await open(file).catch((error: unknown) => {
    throw cannotBeRead(file, error)
  })
  try {
    const { bytesRead } = await handle.read(buffer, 0, headerBytesMax, 0)
    const end = endOfRecord(buffer.subarray(0, bytesRead))
    if (end === undefined && bytesRead === headerBytesMax)
      throw new CommandError(`${file} has no header line: its first line is longer than 1 MB`)
    return buffer.subarray(0, end ?? bytesRead)
  } finally {
    await handle.close()
  }
}

/** The mark that Excel puts first. */
const byteOrderMark = Buffer.from('\ufeff')

/** Behind the line end that ends the first record: one within quotes does not, nor that of an empty line. */
const endOfRecord = (bytes: Buffer): number | undefined => {
  const marked = bytes.indexOf(byteOrderMark) === 0 ? byteOrderMark.length : 0
  let isQuoted = false
  let isEmpty = true
  for (const [at, byte] of bytes.entries()) {
    if (at < marked) continue
    if (byte === quote) isQuoted = !isQuoted
    if (byte === newline && !isQuoted && !isEmpty) return at + 1
    if (byte !== newline && byte !== carriageReturn) isEmpty = false
  }
  return undefined
}

/** Without what says nothing: the mark, and the kind of line end. */
const columnsIn = (header: Buffer): string =>
  header
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trim()

const cannotBeRead = (file: string, error: unknown): CommandError =>
  new CommandError(`${file} cannot be read: ${error instanceof Error ? error.message : error}`)

/** Bytes of a file; undefined for standard input and for what has no size, such as a pipe. */
const sizeOf = async (file: string): Promise<number | undefined> => {
  if (file === '-') return undefined
  const found = await stat(file).catch((error: unknown) => {
    throw cannotBeRead(file, error)
  })
  if (found.isDirectory()) throw new CommandError(`${file} is a folder: name the files in it`)
  return found.isFile() ? found.size : undefined
}
