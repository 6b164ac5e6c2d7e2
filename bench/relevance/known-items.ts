/** How high the entry of a word stands in WordNet when people type the word: MRR@10 (mean of 1 / rank, 0 beyond the tenth). */
import type { Definition } from '@querent/contract/workspace-file'
import { type Figure, makeFigure } from '#bench/figure'
import { pick, randomFrom } from '#bench/random'
import { readWordnet } from '#dictionary/wordnet'
import { type SearchIds, withIndex } from './index.ts'
import { mistype } from './typing.ts'

const ranks = 10
const items = 1_000
const titleCharsMin = 6

const definition: Definition = {
  workspace: 'bench',
  collections: {
    words: {
      id: { field: 'id', uri: 'https://bench.example/{id}' },
      language: 'english',
      fields: { title: { type: 'text', weight: 2 }, definition: { type: 'text' } },
    },
  },
  apis: {
    words: { endpoints: { box: { kind: 'match', collection: 'words', prefix: true, typos: true } } },
  },
}

const typings: Record<string, (title: string, index: number) => string> = {
  whole: title => title,
  'two thirds typed': title => title.slice(0, Math.ceil((2 * title.length) / 3)),
  'one typo': mistype,
}

export const knownItemFigures = async (say: (text: string) => void): Promise<Figure[]> => {
  const entries: { id: string; title: string; definition: string }[] = []
  for await (const { id, title, definition } of readWordnet()) entries.push({ id, title, definition })
  const byTitle = Map.groupBy(entries, ({ title }) => title.toLowerCase())
  const unique = entries.filter(
    ({ title }) => title.length >= titleCharsMin && byTitle.get(title.toLowerCase())?.length === 1,
  )
  const random = randomFrom(5)
  const wantedEntries = Array.from({ length: items }, () => pick(random, unique))
  const figures: Figure[] = []
  await withIndex(definition, 'words', entries, async search => {
    for (const [typing, typed] of Object.entries(typings)) {
      const value = await reciprocalRank(search, wantedEntries, typed)
      figures.push(makeFigure([value], { name: `MRR@10, WordNet, ${typing}`, unit: '', better: 'higher' }))
      say(`WordNet, ${typing}: ${value.toFixed(4)}`)
    }
  })
  return figures
}

const reciprocalRank = async (
  search: SearchIds,
  wantedEntries: readonly { id: string; title: string }[],
  typed: (title: string, index: number) => string,
): Promise<number> => {
  let sum = 0
  for (const [index, { id, title }] of wantedEntries.entries()) {
    const rank = (await search('box', { query: typed(title, index) }, ranks)).indexOf(id)
    if (rank >= 0) sum += 1 / (rank + 1)
  }
  return sum / wantedEntries.length
}
