/**
 * Searches for compounds by the words in them, and for simple words by letters in them, which should not find them: 100 of each in six
 * languages. They were written down before anybody looked at what the engine does with them.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Language } from '@querent/contract/languages'
import type { Definition } from '@querent/contract/workspace-file'
import { type Figure, makeFigure } from '#bench/figure'
import { type SearchIds, withIndex } from './index.ts'

/** `compounds` has the words in each compound, and `simple` the simple words, separated by spaces. */
interface WordList {
  compounds: Readonly<Record<string, string>>
  simple: string
}
const lists: Record<string, WordList> = JSON.parse(
  readFileSync(join(import.meta.dirname, 'compounds.json'), 'utf8'),
)
/** Shorter ones are no words of a compound. */
const partCharsMin = 3

const defineWords = (language: string): Definition => ({
  workspace: 'bench',
  collections: {
    words: {
      id: { field: 'id', uri: 'https://bench.example/{id}' },
      language: language as Language,
      fields: { title: { type: 'text' } },
    },
  },
  apis: { words: { endpoints: { box: { kind: 'match', collection: 'words' } } } },
})

/** Texts after the first letter. A text from the first letter on may be another form of the word. */
const listInnerTexts = (word: string): string[] =>
  Array.from({ length: word.length - partCharsMin }, (_, index) => word.slice(index + 1)).flatMap(rest =>
    Array.from({ length: rest.length - partCharsMin + 1 }, (_, index) => rest.slice(0, partCharsMin + index)),
  )

type Pair = readonly [text: string, word: string]

/** Returns the pairs whose text finds the word. */
const findPairs = async (search: SearchIds, pairs: readonly Pair[]): Promise<ReadonlySet<Pair>> => {
  const findings = new Set<Pair>()
  for (const pair of pairs) {
    const [query, word] = pair
    if ((await search('box', { query }, pairs.length)).includes(word)) findings.add(pair)
  }
  return findings
}

const writePairs = (pairs: Iterable<Pair>): string => [...pairs].map(pair => pair.join(' in ')).join(', ')

const languageFigures = async (
  search: SearchIds,
  language: string,
  { compounds, simple }: WordList,
  say: (text: string) => void,
): Promise<Figure[]> => {
  const pairs = Object.entries(compounds).flatMap(([word, parts]) =>
    parts.split(' ').map((part): Pair => [part, word]),
  )
  const findings = await findPairs(search, pairs)
  say(`${language}: not found: ${writePairs(pairs.filter(pair => !findings.has(pair)))}`)
  const simpleWords = simple.split(' ')
  const wrong = await findPairs(
    search,
    simpleWords.flatMap(word => listInnerTexts(word).map((text): Pair => [text, word])),
  )
  say(`${language}: found by letters in them: ${writePairs(wrong)}`)
  const splitWords = new Set([...wrong].map(([, word]) => word))
  return [
    makeFigure([(100 * findings.size) / pairs.length], {
      name: `compounds found by their words, ${language}`,
      unit: '%',
      better: 'higher',
    }),
    makeFigure([(100 * splitWords.size) / simpleWords.length], {
      name: `simple words found by letters in them, ${language}`,
      unit: '%',
      better: 'lower',
    }),
  ]
}

export const compoundFigures = async (say: (text: string) => void): Promise<Figure[]> => {
  const figures: Figure[] = []
  for (const [language, list] of Object.entries(lists)) {
    const words = [...Object.keys(list.compounds), ...list.simple.split(' ')]
    const documents = words.map(word => ({ id: word, title: word }))
    await withIndex(defineWords(language), 'words', documents, async search => {
      figures.push(...(await languageFigures(search, language, list, say)))
    })
  }
  return figures
}
