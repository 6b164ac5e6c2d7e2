import assert from 'node:assert/strict'
import { test } from 'node:test'
import { measureRanking } from './measures.ts'

const grades = new Map([
  ['a', 3],
  ['b', 1],
  ['c', 0],
  ['d', 2],
])

test('each measure has its known value', () => {
  const ranked = ['c', 'a', 'x', 'b']
  // Gains 7 at rank 2 and 1 at rank 4; at best 7, 3 and 1.
  const ndcg = (7 / Math.log2(3) + 1 / Math.log2(5)) / (7 + 3 / Math.log2(3) + 1 / Math.log2(4))
  assert.ok(Math.abs(measureRanking('ndcg', ranked, grades, 10) - ndcg) < 1e-12)
  assert.equal(measureRanking('mrr', ranked, grades, 10), 1 / 2)
  assert.equal(measureRanking('precision', ranked, grades, 4), 2 / 4)
  assert.equal(measureRanking('recall', ranked, grades, 10), 2 / 3)
})

test('only the first documents count, and the best ranking has 1', () => {
  assert.equal(measureRanking('ndcg', ['a', 'd', 'b', 'c'], grades, 10), 1)
  assert.equal(measureRanking('ndcg', ['a', 'c'], grades, 1), 1)
  assert.equal(measureRanking('mrr', ['c', 'x', 'a'], grades, 2), 0)
  assert.equal(measureRanking('precision', ['a'], grades, 10), 1 / 10)
  assert.equal(measureRanking('recall', [], grades, 10), 0)
})
