import { isUtf8 } from 'node:buffer'
import { CommandError } from '#command-line/failure'

/** More than any password or secret has. */
const secretBytesMax = 16 * 1024

/** A secret from standard input, without a last newline. Throws {@link CommandError} when it is empty or too long; `what` names it. */
export const readSecret = async (what: string): Promise<string> => {
  const text = await readAll(process.stdin, secretBytesMax, `${what} on standard input`)
  const secret = text.replace(/\r?\n$/, '')
  if (secret === '') throw new CommandError(`standard input is empty: pipe the ${what} into this command`)
  return secret
}

/** A stream of UTF-8 as text, up to so many bytes. Throws {@link CommandError} beyond that, and for what is no UTF-8. */
export const readAll = async (
  stream: AsyncIterable<Buffer>,
  bytesMax: number,
  what: string,
): Promise<string> => {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream) {
    bytes += chunk.length
    if (bytes > bytesMax) throw new CommandError(`the ${what} is longer than ${bytesMax} bytes`)
    chunks.push(chunk)
  }
  const all = Buffer.concat(chunks)
  if (!isUtf8(all)) throw new CommandError(`the ${what} is not UTF-8: save it in that encoding`)
  return all.toString('utf8')
}
