/** Reads questions.txt: public files, and what people ask of them. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface Question {
  query: string
  /** An attribute of the first result. */
  answer: string
}

export interface PublicFile {
  /** A version of a package, such as `airports@1.0.0`. */
  package: string
  /** Path inside the package. */
  path: string
  questions: Question[]
}

export const readQuestions = async (): Promise<PublicFile[]> => {
  const text = await readFile(join(import.meta.dirname, 'questions.txt'), 'utf8')
  const [, ...blocks] = text.trim().split(/\n{2,}/)
  return blocks.map(block => {
    const [head = '', ...lines] = block.split('\n')
    const [packageVersion = '', path = ''] = head.split(' ')
    return { package: packageVersion, path, questions: lines.map(readQuestion) }
  })
}

const readQuestion = (line: string): Question => {
  const [query = '', ...answer] = line.split(' = ')
  return { query, answer: answer.join(' = ') }
}
