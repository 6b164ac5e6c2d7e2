import { CommandError } from '#command-line/failure'

/** More than any password or secret has. */
const secretBytesMax = 16 * 1024

/** A secret from standard input, without a last newline. Throws {@link CommandError} when it is empty or too long; `what` names it. */
export const readSecret = async (what: string): Promise<string> => {
  const text = await readAll(process.stdin, secretBytesMax, what)
  const secret = text.replace(/\r?\n$/, '')
  if (secret === '') throw new CommandError(`standard input is empty: pipe the ${what} into this command`)
  return secret
}

/** A stream as text, up to so many bytes. Throws {@link CommandError} beyond that. */
export const readAll = async (stream: NodeJS.ReadStream, bytesMax: number, what: string): Promise<string> => {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > bytesMax)
      throw new CommandError(`the ${what} on standard input is longer than ${bytesMax} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
