/** nDCG@10 of the engine with its defaults, by the judgments of the whole query however much of it is typed. */
import type { Definition } from '@querent/contract/workspace-file'
import { type Figure, makeFigure } from '#bench/figure'
import { type SearchIds, withIndex } from './index.ts'
import { type JudgedCollection, measureNdcg, ranks } from './test-collection.ts'
import { cutWord, lastWord, mistype, typedLetters } from './typing.ts'

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

/** Measures one collection. */
export const judgedFigures = async (
  collection: JudgedCollection,
  say: (text: string) => void,
): Promise<Figure[]> => {
  const { name, documents } = collection
  const figures: Figure[] = []
  await withIndex(definition, 'abstracts', documents, async search => {
    for (const [typing, typed] of Object.entries(typings)) {
      const value = await measureNdcg(collection, (text, index) => {
        const [endpoint, query] = typed(text, index)
        return search(endpoint, { query }, ranks)
      })
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
    figures.push(await finalPageFigure(collection, search))
  })
  return figures
}

/** The share of the last word that is typed when the ten documents of the whole query are there, in their order. */
const finalPageFigure = async ({ name, queries }: JudgedCollection, search: SearchIds): Promise<Figure> => {
  const shares: number[] = []
  for (const { text } of queries) {
    const findPage = async (typed: string) => (await search('box', { query: typed }, ranks)).join(' ')
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
