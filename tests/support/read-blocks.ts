import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface CodeBlock {
  language: string
  code: string
}

/** Returns the code blocks of a page of docs/ in their order. */
export const readBlocks = async (page: string): Promise<CodeBlock[]> => {
  const text = await readFile(join(import.meta.dirname, '..', '..', 'docs', page), 'utf8')
  return [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language = '', code = '']) => ({
    language,
    code,
  }))
}
