/** Joins files to one stream of bytes and counts them, so that a line can be traced to its file and progress shown. */
import { open } from 'node:fs/promises'
import { CommandError, UsageError } from '#command-line/failure'
import { createReadError } from '#command-line/file-failure'
import { type Input, rejectPipes } from './open-inputs.ts'

const newline = 0x0a
const carriageReturn = 0x0d
const quote = 0x22

export interface Source {
  /** Can be read once. */
  bytes: AsyncIterable<Uint8Array>
  /** Bytes of all files; absent if one of them is standard input. */
  total: number | undefined
  /** Amount read so far; `lines` counts line ends. */
  read: { bytes: number; lines: number }
  /** Returns the file, and the line in that file, of a line of the stream. Lines count from 1. */
  locate: (line: number) => { file: string; line: number }
}

/**
 * Joins the inputs to one stream. Each file starts on its own line. If several files have a header line (`isTable`),
 * only the first header is sent. Before it reads any document, it throws {@link CommandError} for an unreadable file or a different header,
 * and {@link UsageError} if one of several tables can be read only once.
 */
export const openSource = async (inputs: readonly Input[], isTable = false): Promise<Source> => {
  const isJoined = isTable && inputs.length > 1
  const compressed = isJoined ? inputs.find(({ isCompressed }) => isCompressed) : undefined
  if (compressed !== undefined)
    throw new UsageError(
      `${compressed.file} is compressed, but several csv files can only be joined uncompressed: decompress them, or import each file separately`,
    )
  if (isTable) rejectPipes(inputs)
  const headers = isJoined ? await readHeaders(inputs.map(({ file }) => file)) : []
  const sizes = inputs.map(({ size }) => size)
  const total = sizes.includes(undefined)
    ? undefined
    : sizes.reduce((sum: number, size) => sum + (size ?? 0), 0)
  const read = { bytes: 0, lines: 0 }
  /** `afterLines`: lines of the stream before the file, minus the lines of the file that were `skipped`. */
  const starts: { file: string; afterLines: number; skipped: number }[] = []

  const bytes = async function* () {
    let last = newline
    for (const [index, input] of inputs.entries()) {
      if (last !== newline) {
        read.lines += 1
        yield Buffer.of(newline)
      }
      const { bytes: headerBytes, lines: headerLines } = (index > 0 && headers[index]) || {
        bytes: 0,
        lines: 0,
      }
      starts.push({
        file: displayName(input.file),
        afterLines: read.lines - headerLines,
        skipped: headerLines,
      })
      read.bytes += headerBytes
      const chunks = input.read(headerBytes, count => {
        read.bytes += count
      })
      for await (const chunk of chunks) {
        read.lines += countLines(chunk)
        last = chunk.at(-1) ?? last
        yield chunk
      }
    }
  }
  const locate = (line: number) => {
    const start = starts.findLast(({ afterLines, skipped }) => afterLines + skipped < line)
    return { file: start?.file ?? displayName(inputs[0]?.file ?? ''), line: line - (start?.afterLines ?? 0) }
  }
  return { bytes: bytes(), total, read, locate }
}

const displayName = (file: string): string => (file === '-' ? 'standard input' : file)

export const countLines = (chunk: Buffer): number => {
  let lines = 0
  for (let index = chunk.indexOf(newline); index >= 0; index = chunk.indexOf(newline, index + 1)) lines += 1
  return lines
}

/** Longer than any real header line. */
const headerBytesMax = 1024 * 1024

/** Size of the header line of a file, including its line end. */
interface Header {
  bytes: number
  lines: number
}

/** Throws {@link CommandError} for a file whose columns differ from those of the first. */
const readHeaders = async (files: string[]): Promise<Header[]> => {
  const buffer = Buffer.alloc(headerBytesMax)
  const headers: Header[] = []
  let expected: string | undefined
  for (const file of files) {
    const header = await readHeader(file, buffer)
    const columns = readColumns(header)
    expected ??= columns
    if (columns !== expected)
      throw new CommandError(
        `${file} has different columns than ${files[0]}: import it with a separate command; found ${columns}, expected ${expected}`,
      )
    headers.push({ bytes: header.length, lines: countLines(header) })
  }
  return headers
}

/** Returns a view into the buffer. */
const readHeader = async (file: string, buffer: Buffer): Promise<Buffer> => {
  const handle = await open(file).catch((error: unknown) => {
    throw createReadError(file, error)
  })
  try {
    const { bytesRead } = await handle.read(buffer, 0, headerBytesMax, 0)
    const end = findRecordEnd(buffer.subarray(0, bytesRead))
    if (end === undefined && bytesRead === headerBytesMax)
      throw new CommandError(`${file} has no header line: its first line is longer than 1 MB`)
    return buffer.subarray(0, end ?? bytesRead)
  } finally {
    await handle.close()
  }
}

/** Excel writes this mark first. */
const byteOrderMark = Buffer.from('\ufeff')

/** Returns the index after the line end of the first record. Line ends within quotes and of empty lines do not end it. */
const findRecordEnd = (bytes: Buffer): number | undefined => {
  const markBytes = bytes.indexOf(byteOrderMark) === 0 ? byteOrderMark.length : 0
  let isQuoted = false
  let isEmpty = true
  for (const [index, byte] of bytes.entries()) {
    if (index < markBytes) continue
    if (byte === quote) isQuoted = !isQuoted
    if (byte === newline && !isQuoted && !isEmpty) return index + 1
    if (byte !== newline && byte !== carriageReturn) isEmpty = false
  }
  return undefined
}

/** Leaves out the mark and the line end, which do not matter for the comparison. */
const readColumns = (header: Buffer): string =>
  header
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trim()
