/** Reads pages of the documentation, and the names of the tests that they name. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

const docs = join(import.meta.dirname, '..', '..', 'docs')

export const readDocument = (name: string): Promise<string> => readFile(join(docs, name), 'utf8')

/** Names between the quotes of test calls in a source file. `file`: path from `docs`. */
export const readTestNames = async (file: string): Promise<Set<string>> => {
  const source = await readFile(join(docs, file), 'utf8')
  const calls = source.matchAll(/\b(?:test|it)\(\s*(['"`])((?:(?!\1)[^\\\n]|\\.)*)\1/g)
  return new Set([...calls].map(([, , name = '']) => name.replaceAll(/\\(.)/g, '$1')))
}
