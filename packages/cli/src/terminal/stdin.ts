import { isUtf8 } from 'node:buffer'
import { CommandError } from '#command-line/failure'

/** Longer than any password or secret. */
const secretBytesMax = 16 * 1024

/** Reads a secret from standard input, without a final newline. Throws {@link CommandError} if it is empty or too long. */
export const readSecret = async (label: string): Promise<string> => {
  const text = await readAll(process.stdin, secretBytesMax, `${label} on standard input`)
  const secret = text.replace(/\r?\n$/, '')
  if (secret === '') throw new CommandError(`standard input is empty: pipe the ${label} into this command`)
  return secret
}

/** Reads a stream of UTF-8. Throws {@link CommandError} if it is longer than `bytesMax` or not UTF-8. */
export const readAll = async (
  stream: AsyncIterable<Buffer>,
  bytesMax: number,
  label: string,
): Promise<string> => {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream) {
    bytes += chunk.length
    if (bytes > bytesMax) throw new CommandError(`the ${label} is longer than ${bytesMax} bytes`)
    chunks.push(chunk)
  }
  const content = Buffer.concat(chunks)
  if (!isUtf8(content)) throw new CommandError(`the ${label} is not UTF-8: save it in that encoding`)
  return content.toString('utf8')
}
