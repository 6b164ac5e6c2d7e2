/** Boosts of an endpoint: where they act in a plan. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readApiRequest } from '@querent/contract/paths'
import type { Definition } from '@querent/contract/workspace-file'
import type { PlanNode } from '#engines/engine'
import { compileApi } from './compile.ts'

const popular = { kind: 'boost', field: 'sold', rule: { by: 'log' } }
const definition: Definition = {
  workspace: 'shop',
  collections: {
    goods: {
      fields: {
        name: { type: 'text' },
        sold: { type: 'number' },
        added: { type: 'date' },
        vector: { type: 'vector', dimensions: 1 },
      },
    },
    people: { fields: { name: { type: 'text' } } },
  },
  apis: {
    shop: {
      endpoints: {
        popular: { kind: 'boost', field: 'sold', by: 'log' },
        fresh: { kind: 'boost', field: 'added', halfLife: '30d' },
        words: { kind: 'match', collection: 'goods', typos: true, boosts: ['popular'] },
        plain: { kind: 'match', collection: 'goods', boosts: ['popular'] },
        meaning: { kind: 'nearest', collection: 'goods', field: 'vector', boosts: ['popular', 'fresh'] },
        hybrid: { kind: 'mix', of: { words: 1, meaning: 1 } },
        boosted: { kind: 'mix', of: { plain: 1 }, boosts: ['popular'] },
        people: { kind: 'match', collection: 'people', boosts: ['popular'] },
      },
    },
  },
}
const api = compileApi(definition, 'shop')

const plan = (path: string) => {
  const request = readApiRequest([...path.split('/'), 'results'])
  assert.ok(request.kind === 'query')
  return api.plan({
    stack: request.stack,
    filters: [],
    offset: 0,
    count: 10,
    cutoff: 0,
    statistics: false,
    nowMs: 0,
  })
}
const nodes = (path: string) => plan(path).plan.nodes
const readBoosts = (node: PlanNode | undefined) => (node?.kind === 'match' ? (node.boosts ?? []) : [])
const listKinds = (path: string) => nodes(path).map(({ kind }) => kind)

test('boosts of a search that ranks by words change its last step only', () => {
  const [match, ...others] = nodes('e/words/p/query/x')
  assert.deepEqual(readBoosts(match), [popular])
  assert.deepEqual(others, [])
})

test('other boosts multiply the whole score, each once', () => {
  assert.deepEqual(nodes('e/plain/p/query/x').slice(1), [popular])
  assert.deepEqual(listKinds('e/plain/p/query/x/e/meaning/p/vector/1'), [
    'match',
    'nearest',
    'boost',
    'boost',
  ])
})

test('a text without words is ranked by the boosts', () => {
  assert.deepEqual(nodes('e/words/p/query/-x').slice(1), [popular])
})

test('a boost that the stack names too applies as in the stack', () => {
  const [match, ...others] = nodes('e/words/p/query/x/e/popular')
  assert.deepEqual(readBoosts(match), [])
  assert.deepEqual(others, [popular])
  assert.deepEqual(listKinds('e/plain/p/query/x/e/popular'), ['match', 'boost'])
})

test('the boosts of the parts of a mix change the parts, those of the mix its score', () => {
  const [mix, ...others] = nodes('e/hybrid/p/query/x/p/vector/1')
  assert.ok(mix?.kind === 'mix')
  const [words, meaning] = mix.parts
  assert.deepEqual(readBoosts(words?.node), [popular])
  assert.equal(words?.boosts, undefined)
  assert.deepEqual(
    meaning?.boosts?.map(({ field }) => field),
    ['sold', 'added'],
  )
  assert.deepEqual(others, [])
  const [inner, ...outer] = nodes('e/boosted/p/query/x')
  assert.ok(inner?.kind === 'mix')
  assert.deepEqual(inner.parts[0]?.boosts, [popular])
  assert.deepEqual(outer, [popular])
})

test('a plan with a boost by age depends on the time', () => {
  assert.equal(plan('e/meaning/p/vector/1').nowMs, 0)
  assert.equal(plan('e/hybrid/p/query/x/p/vector/1').nowMs, 0)
  assert.equal(plan('e/words/p/query/x').nowMs, undefined)
})

test('a boost of a field that the collection does not have changes nothing', () => {
  assert.deepEqual(listKinds('e/people/p/query/x'), ['match'])
})
