import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scoredBy } from './matching.ts'
import { schemaOf, textFieldOf } from './schema.ts'
import { type Ground, openNumbers, type SearchReply } from './search-context.ts'
import type { Clause } from './values.ts'
import { addTerm, nothingWanted, type Wanted } from './words.ts'

const schema = schemaOf({
  fields: [{ name: 'title', type: 'text', language: 'none', prefix: true }],
  synonyms: [],
})
const field = textFieldOf(schema, 'title')

/** Stands in for an index that another node writes to: of all documents the number was kept, the others are asked for later. */
const groundWith = (documents: number, frequency: number): Ground => ({
  schema,
  analyser: { words: async () => [], typed: async () => [] },
  visible: [],
  numbers: openNumbers()(1, []),
  ask: async bodies =>
    bodies.map((body): SearchReply => {
      if (body.aggs) return { hits: { max_score: null, hits: [] }, aggregations: { length: { value: 40 } } }
      const value = JSON.stringify(body).includes('match_all') ? documents : frequency
      // Nothing has a score: the documents that were counted are gone.
      return { hits: { total: { value }, max_score: null, hits: [] } }
    }),
})

const boostsOf = (clauses: Clause[]): unknown[] => {
  const boosts: unknown[] = []
  JSON.stringify(clauses, (key, value) => {
    if (key === 'boost' && value !== undefined) boosts.push(value)
    return value
  })
  return boosts
}

const wanted = (): Wanted => {
  const all = nothingWanted()
  const term = { field, text: 'cat', stop: false, weight: 1 }
  addTerm(all, term)
  const words = ['black', 'cat'].map((text, position) => ({ text, position, start: 0, end: 0, stop: false }))
  all.phrases.set('black cat', { field, typed: 'black cat', words, stop: false, weight: 1 })
  all.groups.set('cat', {
    text: 'cat',
    completed: false,
    typos: 1,
    exact: [term],
    fields: [{ field, weight: 1, stopToo: false }],
  })
  return all
}

for (const [documents, frequency] of [
  [3, 5],
  [0, 1],
  [5, 3],
] as const)
  test(`no score is negative or none where ${frequency} of ${documents} documents have a word`, async () => {
    const boosts = boostsOf(await scoredBy(groundWith(documents, frequency), wanted()))
    assert.ok(boosts.length >= 3)
    for (const boost of boosts) assert.ok(Number.isFinite(boost) && Number(boost) > 0, String(boost))
  })
