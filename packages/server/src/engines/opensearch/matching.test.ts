import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CountedWords, scoreWords } from './counted-words.ts'
import { scoredClauses } from './matching.ts'
import { createSchema, findTextField } from './schema.ts'
import { createStatisticsCaches, type SearchContext, type SearchReply } from './search-context.ts'
import type { TextQuery } from './words.ts'

const schema = createSchema(
  { fields: [{ name: 'title', type: 'text', language: 'none', prefix: true }] },
  false,
)
const field = findTextField(schema, 'title')

/** Fakes an index that another node writes to: the number of all documents and the frequency are from different times. */
const contextWith = (documents: number, frequency: number): SearchContext => ({
  schema,
  visible: [],
  statistics: createStatisticsCaches()(1, []),
  search: async bodies =>
    bodies.map((body): SearchReply => {
      if (body.aggs) return { hits: { max_score: null, hits: [] }, aggregations: { length: { value: 40 } } }
      const value = JSON.stringify(body).includes('match_all') ? documents : frequency
      return { hits: { total: { value }, max_score: null, hits: [] } }
    }),
})

const collectNumbers = (clauses: unknown, names: readonly string[]): unknown[] => {
  const numbers: unknown[] = []
  JSON.stringify(clauses, (key, value) => {
    if (names.includes(key) && value !== undefined) numbers.push(value)
    return value
  })
  return numbers
}

const createTextQuery = (): TextQuery => ({
  terms: [{ field, text: 'cat', stop: false, weight: 1 }],
  phrases: [
    {
      field,
      words: ['black', 'cat'].map((text, position) => ({ text, position })),
      stop: false,
      weight: 1,
    },
  ],
})

const createCountedWords = (): CountedWords => {
  const source = { field, weight: 1, isCompleted: true, typos: 2, includesStopWords: false, contains: false }
  const words = ['cat', 'kitten'].map(text => ({
    typed: text,
    text,
    isOptional: false,
    query: createTextQuery(),
    alternatives: [],
    sources: [source],
    formBeginnings: [],
    lookups: { compounds: [], joined: [], pairs: [] },
  }))
  return {
    words,
    needsAll: false,
    isRankedByWords: true,
    exact: undefined,
    neighbours: [],
    asTyped: [],
    beginning: undefined,
    boosts: [],
  }
}

for (const [documents, frequency] of [
  [3, 5],
  [0, 1],
  [5, 3],
] as const)
  test(`scores are positive numbers if ${frequency} of ${documents} documents have a word`, async () => {
    const context = contextWith(documents, frequency)
    const boosts = collectNumbers(await scoredClauses(context, createTextQuery()), ['boost', 'weight'])
    const ranked = await scoreWords(context, createCountedWords())
    const parameters = collectNumbers(ranked, ['boost', 'gain', 'factor', 'slope', 'scale', 'unit'])
    assert.ok(boosts.length >= 3 && parameters.length >= 20)
    for (const number of [...boosts, ...parameters])
      assert.ok(Number.isFinite(number) && Number(number) > 0, String(number))
  })
