/** Reads questions.txt: public files, and what people ask of them. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { toName } from '@querent/contract/proposal'

export interface Question {
  query: string
  /** An attribute of the first result, or the number of documents with the value of a facet. */
  answer: string
  /** The request whose reply has the answer, below the API. */
  request: string
}

export interface PublicFile {
  /** A version of a package: `airports@1.0.0` of npm, or `airportsdata==20260905` of PyPI. */
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
  const [query = '', ...parts] = line.split(' = ')
  const answer = parts.join(' = ')
  const [, facet, value] = /^facet:(.+):(.+)$/.exec(query) ?? []
  const request =
    facet === undefined || value === undefined
      ? `e/search/p/query/${encodeURIComponent(query)}/results?count=1`
      : `e/all/options/${toName(facet)}?count=100`
  return { query, answer, request }
}

/** Returns the texts of which one has to be the answer. `reply` is the body of the request. */
export const listAnswers = (query: string, reply: unknown): string[] => {
  const [, value] = /^facet:.+:(.+)$/.exec(query) ?? []
  // Replies of the query service.
  const { items, options } = reply as {
    items?: { tuple: { id: string; attributes: object }[] }[]
    options?: { value: unknown; count: number }[]
  }
  if (value !== undefined)
    return (options ?? []).filter(option => String(option.value) === value).map(({ count }) => String(count))
  const [found] = items?.[0]?.tuple ?? []
  return found ? [...listValues(found.attributes), found.id.split(':').at(-1) ?? ''] : []
}

const listValues = (value: unknown): string[] =>
  typeof value === 'object' && value !== null
    ? Object.values(value).flatMap(listValues)
    : [String(value).trim()]
