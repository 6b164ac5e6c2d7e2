/** Queries with words from documents, so that common words are queried as often as they occur. */

import { below, pick, randomFrom } from '#bench/random'
import type { QueryRequest } from '#server/query/plan/compile'
import type { BenchDocument } from './corpus.ts'

/** A stack of endpoints of `catalog`, as the query service reads it from a path. */
export type Stack = QueryRequest['stack']

/** Fields with 45, 2,000 and 50,000 values, and with 45, 2,000 and 2. */
export const facetFields = {
  '3 facets': ['topic', 'maker', 'place'],
  '3 small facets': ['topic', 'maker', 'sold'],
} as const

type Asks = (random: () => number, document: BenchDocument) => Stack

/** Each kind of query, by its name in the table. */
export const queryKinds = {
  'one word': (random, document) => [step('search', { query: words(random, document, 1) })],
  'two words': (random, document) => [step('search', { query: words(random, document, 2) })],
  'three words': (random, document) => [step('search', { query: words(random, document, 3) })],
  'three very common words': random => [
    step('search', { query: [0, 1, 2].map(() => pick(random, commonWords)).join(' ') }),
  ],
  'a phrase': (random, document) => [step('search', { query: `"${neighbors(random, document)}"` })],
  'three letters of a word': (random, document) => [
    step('typing', { query: words(random, document, 1).slice(0, 3) }),
  ],
  'two letters of a word': (random, document) => [
    step('typing', { query: words(random, document, 1).slice(0, 2) }),
  ],
  'one letter of a word': (random, document) => [
    step('typing', { query: words(random, document, 1).slice(0, 1) }),
  ],
  'two words, the last one half typed': (random, document) => [
    step('typing', { query: halfTyped(words(random, document, 2)) }),
  ],
  'a word with a typo': (random, document) => [
    step('forgiving', { query: mistyped(random, words(random, document, 1)) }),
  ],
  'two words with typos': (random, document) => [
    step('forgiving', {
      query: words(random, document, 2)
        .split(' ')
        .map(word => mistyped(random, word))
        .join(' '),
    }),
  ],
  'three letters of a word, with typos': (random, document) => [
    step('box', { query: words(random, document, 1).slice(0, 3) }),
  ],
  'two words, the last one half typed, with typos': (random, document) => [
    step('box', { query: halfTyped(words(random, document, 2)) }),
  ],
  'two words, by date': (random, document) => [
    step('search', { query: words(random, document, 2) }),
    step('newest'),
  ],
  'two words, filtered, by date': (random, document) => [
    step('search', { query: words(random, document, 2) }),
    step('topic:FILTER', { value: document.topic }),
    step('newest'),
  ],
  'two words, in a range of numbers': (random, document) => [
    step('search', { query: words(random, document, 2) }),
    step('price', { from: '10', to: '200' }),
  ],
  everything: () => [step('everything')],
} as const satisfies Record<string, Asks>

export type QueryKind = keyof typeof queryKinds

/** Returns queries of a kind, the same in every run with the same seed. */
export const makeQueries = (
  kind: QueryKind,
  count: number,
  seed: number,
  documentAt: (index: number) => BenchDocument,
): Stack[] => {
  const random = randomFrom(seed)
  return Array.from({ length: count }, () => queryKinds[kind](random, documentAt(below(random, 1_000_000))))
}

const step = (endpoint: string, parameters: Record<string, string> = {}): Stack[number] => ({
  endpoint,
  parameters: Object.entries(parameters).map(([name, value]) => ({ name, value })),
})

const commonWords = [
  'used',
  'person',
  'having',
  'something',
  'small',
  'one',
  'make',
  'large',
  'genus',
  'cause',
  'state',
  'family',
]
const stopWords =
  /^(the|and|for|that|with|not|are|was|this|into|from|its|has|which|they|such|their|will|but|there|then|these)$/

const wordsIn = (text: string): string[] =>
  text.match(/[a-z]{3,}/gi)?.filter(word => !stopWords.test(word)) ?? []

const words = (random: () => number, document: BenchDocument, count: number): string => {
  const documentWords = wordsIn(`${document.title} ${document.text}`)
  return Array.from({ length: count }, () => pick(random, documentWords)).join(' ')
}

/** Returns two or three adjacent words. */
const neighbors = (random: () => number, { text }: BenchDocument): string => {
  const words = text.match(/\S+/g) ?? []
  const start = below(random, Math.max(1, words.length - 3))
  return words
    .slice(start, start + 2 + below(random, 2))
    .join(' ')
    .replaceAll('"', '')
}

const halfTyped = (text: string): string =>
  text.slice(0, Math.max(text.lastIndexOf(' ') + 2, text.length - 3))

const mistyped = (random: () => number, word: string): string => {
  const position = 1 + below(random, word.length - 1)
  return `${word.slice(0, position)}${pick(random, [...'aeinrst'])}${word.slice(position + 1)}`
}
