import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scoredClauses } from './matching.ts'
import { createSchema, findTextField } from './schema.ts'
import { createStatisticsCaches, type SearchContext, type SearchReply } from './search-context.ts'
import type { Clause } from './values.ts'
import { addTerm, emptyTextQuery, type TextQuery } from './words.ts'

const schema = createSchema({
  fields: [{ name: 'title', type: 'text', language: 'none', prefix: true }],
  synonyms: [],
})
const field = findTextField(schema, 'title')

/** Fakes an index that another node writes to: the number of all documents and the frequency are from different times. */
const contextWith = (documents: number, frequency: number): SearchContext => ({
  schema,
  analyzer: { words: async () => [], typed: async () => [] },
  visible: [],
  statistics: createStatisticsCaches()(1, []),
  search: async bodies =>
    bodies.map((body): SearchReply => {
      if (body.aggs) return { hits: { max_score: null, hits: [] }, aggregations: { length: { value: 40 } } }
      const value = JSON.stringify(body).includes('match_all') ? documents : frequency
      // There is no score, as if the counted documents were deleted meanwhile.
      return { hits: { total: { value }, max_score: null, hits: [] } }
    }),
})

const collectBoosts = (clauses: Clause[]): unknown[] => {
  const boosts: unknown[] = []
  JSON.stringify(clauses, (key, value) => {
    if (key === 'boost' && value !== undefined) boosts.push(value)
    return value
  })
  return boosts
}

const createTextQuery = (): TextQuery => {
  const textQuery = emptyTextQuery()
  const term = { field, text: 'cat', stop: false, weight: 1 }
  addTerm(textQuery, term)
  const words = ['black', 'cat'].map((text, position) => ({ text, position, start: 0, end: 0, stop: false }))
  textQuery.phrases.set('black cat', { field, typed: 'black cat', words, stop: false, weight: 1 })
  textQuery.groups.set('cat', {
    text: 'cat',
    isCompletion: false,
    typos: 1,
    exact: [term],
    fields: [{ field, weight: 1, includesStopWords: false }],
  })
  return textQuery
}

for (const [documents, frequency] of [
  [3, 5],
  [0, 1],
  [5, 3],
] as const)
  test(`scores are positive numbers if ${frequency} of ${documents} documents have a word`, async () => {
    const boosts = collectBoosts(await scoredClauses(contextWith(documents, frequency), createTextQuery()))
    assert.ok(boosts.length >= 3)
    for (const boost of boosts) assert.ok(Number.isFinite(boost) && Number(boost) > 0, String(boost))
  })
