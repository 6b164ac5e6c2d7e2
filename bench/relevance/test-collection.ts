/** Test collections with judgments, and how results are scored against them. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface JudgedCollection {
  name: string
  documents: { id: string; title: string; text: string }[]
  queries: { id: string; text: string }[]
  /** Query → document → grade. */
  grades: ReadonlyMap<string, ReadonlyMap<string, number>>
}

/** The documents that count. */
export const ranks = 10

/**
 * Reads the folders of `data`: `documents.ndjson` {id, title, text}, `queries.ndjson` {id, text} and `judgments.tsv` query, document,
 * grade. They are not part of the repository. Throws if there is none.
 */
export const readCollections = async (data: string): Promise<JudgedCollection[]> => {
  const entries = await readdir(data, { withFileTypes: true })
  const names = entries.filter(entry => entry.isDirectory()).map(({ name }) => name)
  if (names.length === 0) throw new Error(`there is no test collection in ${data}`)
  return Promise.all(
    names.toSorted().map(async name => ({
      name,
      documents: await readLines(join(data, name, 'documents.ndjson')),
      queries: await readLines(join(data, name, 'queries.ndjson')),
      grades: await readGrades(join(data, name, 'judgments.tsv')),
    })),
  )
}

/** The mean over all queries that have a document of grade 1 or more. `search` returns ids for the text of a query. */
export const measureNdcg = async (
  { queries, grades }: JudgedCollection,
  search: (text: string, index: number) => Promise<string[]>,
): Promise<number> => {
  const gains: number[] = []
  for (const [index, { id, text }] of queries.entries()) {
    const judgments = grades.get(id)
    if (judgments === undefined || ![...judgments.values()].some(grade => grade > 0)) continue
    const ids = await search(text, index)
    const best = discounted([...judgments.values()].toSorted((left, right) => right - left))
    gains.push(discounted(ids.map(hit => judgments.get(hit) ?? 0)) / best)
  }
  return gains.reduce((sum, gain) => sum + gain, 0) / gains.length
}

/** Discounted cumulative gain of the first ten, with gain 2^grade - 1 (Burges and others 2005). */
const discounted = (grades: readonly number[]): number =>
  grades.slice(0, ranks).reduce((sum, grade, rank) => sum + (2 ** grade - 1) / Math.log2(rank + 2), 0)

const readLines = async <T>(path: string): Promise<T[]> =>
  (await readFile(path, 'utf8'))
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line))

const readGrades = async (path: string): Promise<Map<string, Map<string, number>>> => {
  const grades = new Map<string, Map<string, number>>()
  for (const line of (await readFile(path, 'utf8')).split('\n')) {
    const [query, document, grade] = line.split('\t')
    if (query === undefined || document === undefined) continue
    const judgments = grades.get(query) ?? new Map<string, number>()
    grades.set(query, judgments.set(document, Number(grade)))
  }
  return grades
}
