/** Files as one stream of bytes, counted on the way, so that progress can be shown and a line be traced to its file. */
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { CommandError } from '#command-line/failure'

const newline = 0x0a

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
 * The files one after the other; `-` is standard input. Each begins on a line of its own. Throws {@link CommandError} for one that
 * cannot be read, before anything is.
 */
export const openSource = async (files: string[]): Promise<Source> => {
  const sizes = await Promise.all(files.map(sizeOf))
  const total = sizes.includes(undefined)
    ? undefined
    : sizes.reduce((sum: number, size) => sum + (size ?? 0), 0)
  const read = { bytes: 0, lines: 0 }
  const starts: { file: string; afterLines: number }[] = []

  const bytes = async function* () {
    let last = newline
    for (const file of files) {
      if (last !== newline) {
        read.lines += 1
        yield Buffer.of(newline)
      }
      starts.push({ file: file === '-' ? 'standard input' : file, afterLines: read.lines })
      const stream = file === '-' ? process.stdin : createReadStream(file, { highWaterMark: 256 * 1024 })
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        read.bytes += chunk.length
        read.lines += linesIn(chunk)
        last = chunk.at(-1) ?? last
        yield chunk
      }
    }
  }
  const placeOf = (line: number) => {
    const start = starts.findLast(({ afterLines }) => afterLines < line)
    return { file: start?.file ?? files[0] ?? '', line: line - (start?.afterLines ?? 0) }
  }
  return { bytes: bytes(), total, read, placeOf }
}

export const linesIn = (chunk: Buffer): number => {
  let lines = 0
  for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, at + 1)) lines += 1
  return lines
}

/** Bytes of a file; undefined for standard input and for what has no size, such as a pipe. */
const sizeOf = async (file: string): Promise<number | undefined> => {
  if (file === '-') return undefined
  const found = await stat(file).catch((error: unknown) => {
    throw new CommandError(`${file} cannot be read: ${error instanceof Error ? error.message : error}`)
  })
  if (found.isDirectory()) throw new CommandError(`${file} is a folder: name the files in it`)
  return found.isFile() ? found.size : undefined
}
