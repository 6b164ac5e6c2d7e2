/**
 * nDCG@10 of the engine with its defaults on test collections, by the judgments of the whole query however much of it is typed: folders with `documents.ndjson` {id, title, text}, `queries.ndjson`
 * {id, text} and `judgments.tsv` query, document, grade. They are not part of the repository.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Definition } from '@querent/contract/workspace-file'
import { type Figure, makeFigure } from '#bench/figure'
import { type SearchIds, withIndex } from './index.ts'
import { cutWord, lastWord, mistype, typedLetters } from './typing.ts'

interface Query {
  id: string
  text: string
}

const ranks = 10
const goals: Partial<Record<string, number>> = { cranfield: 0.393, cisi: 0.377 }
const peers: Partial<Record<string, string>> = {
  cranfield: 'OpenSearch .393 · FTS5 .382 · MiniSearch .338',
  cisi: 'OpenSearch .378 · FTS5 .322 · MiniSearch .278',
}

const definition: Definition = {
  workspace: 'bench',
  collections: {
    abstracts: {
      id: { field: 'id', uri: 'https://bench.example/{id}' },
      language: 'english',
      fields: { title: { type: 'text' }, text: { type: 'text' } },
    },
  },
  apis: {
    abstracts: {
      endpoints: {
        search: { kind: 'match', collection: 'abstracts' },
        box: { kind: 'match', collection: 'abstracts', prefix: true, typos: true },
      },
    },
  },
}

/** How a query is typed: the endpoint that gets it, and the text. A space at its end finishes the last word. */
const typings: Record<string, (text: string, index: number) => [endpoint: 'search' | 'box', text: string]> = {
  whole: text => ['search', text],
  'whole, with prefix and typos': text => ['box', `${text} `],
  ...Object.fromEntries(
    typedLetters.map(letters => [
      `last word cut to ${letters}`,
      (text: string) => ['box', cutWord(text, letters)] as const,
    ]),
  ),
  'one typo': (text, index) => ['box', `${mistype(text, index)} `],
}

/** Returns the figures of each folder of the data. Throws if there is none. */
export const judgedFigures = async (data: string, say: (text: string) => void): Promise<Figure[]> => {
  const entries = await readdir(data, { withFileTypes: true })
  const names = entries.filter(entry => entry.isDirectory()).map(({ name }) => name)
  if (names.length === 0) throw new Error(`there is no test collection in ${data}`)
  const figures: Figure[] = []
  for (const name of names.toSorted()) {
    const folder = join(data, name)
    const documents = await readLines<{ id: string; title: string; text: string }>(
      join(folder, 'documents.ndjson'),
    )
    await withIndex(definition, 'abstracts', documents, async search => {
      for (const [typing, typed] of Object.entries(typings)) {
        const value = await ndcg(folder, (text, index) => search(...typed(text, index), ranks))
        const isWhole = typing === 'whole'
        const goal = isWhole ? goals[name] : undefined
        const peerFigures = isWhole ? peers[name] : undefined
        const details = {
          name: `nDCG@10, ${name}${isWhole ? '' : `, ${typing}`}`,
          unit: '',
          better: 'higher',
        } as const
        figures.push(
          makeFigure([value], {
            ...details,
            ...(goal && { goal }),
            ...(peerFigures && { peers: peerFigures }),
          }),
        )
        say(`${name}, ${typing}: ${value.toFixed(4)}`)
      }
      figures.push(await finalPageFigure(name, folder, search))
    })
  }
  return figures
}

/** The share of the last word that is typed when the ten documents of the whole query are there, in their order. */
const finalPageFigure = async (name: string, folder: string, search: SearchIds): Promise<Figure> => {
  const shares: number[] = []
  for (const { text } of await readLines<Query>(join(folder, 'queries.ndjson'))) {
    const findPage = async (typed: string) => (await search('box', typed, ranks)).join(' ')
    const finalPage = await findPage(`${text} `)
    const { length } = lastWord(text)
    let letters = 1
    while (letters < length && (await findPage(cutWord(text, letters))) !== finalPage) letters++
    shares.push(letters / length)
  }
  return makeFigure([(100 * shares.reduce((sum, share) => sum + share, 0)) / shares.length], {
    name: `typed of the last word until the final page, ${name}`,
    unit: '%',
    better: 'lower',
  })
}

const ndcg = async (
  folder: string,
  search: (text: string, index: number) => ReturnType<SearchIds>,
): Promise<number> => {
  const queries = await readLines<Query>(join(folder, 'queries.ndjson'))
  const grades = await readGrades(join(folder, 'judgments.tsv'))
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

/** Query → document → grade. */
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
