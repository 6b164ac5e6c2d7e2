/** Steps of kind `any` and `boost`: their parameters, nodes, order and errors. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readApiRequest } from '@querent/contract/paths'
import type { Definition } from '@querent/contract/workspace-file'
import { Problem } from '#errors'
import { compileApi } from './compile.ts'

const definition: Definition = {
  workspace: 'shop',
  collections: {
    goods: {
      fields: {
        name: { type: 'text' },
        brand: { type: 'keyword' },
        price: { type: 'number' },
        added: { type: 'date' },
        place: { type: 'geo' },
      },
    },
    people: { fields: { name: { type: 'text' } } },
  },
  apis: {
    shop: {
      endpoints: {
        search: { kind: 'match', collection: 'goods' },
        brand: { kind: 'facet', field: 'brand' },
        price: { kind: 'range', field: 'price' },
        acme: { kind: 'filter', field: 'brand', value: 'acme' },
        either: { kind: 'any', of: ['acme', 'price'] },
        neither: { kind: 'any', of: ['brand:FILTER', 'price'], not: true },
        'by-price': { kind: 'sort', field: 'price' },
        'acme-first': { kind: 'boost', field: 'brand', value: 'acme', by: 2 },
        popular: { kind: 'boost', field: 'price', by: 'log' },
        fresh: { kind: 'boost', field: 'added', halfLife: '30d' },
        near: { kind: 'boost', field: 'place', halfDistance: '5km', from: { lat: 1, lon: 2 } },
        nearby: { kind: 'boost', field: 'place', halfDistance: '5km' },
      },
    },
  },
}
const api = compileApi(definition, 'shop')
const nowMs = Date.parse('2026-01-31T12:34:56Z')

const planPath = (path: string) => {
  const request = readApiRequest([...path.split('/'), 'results'])
  assert.ok(request.kind === 'query')
  return api.plan({
    stack: request.stack,
    filters: [],
    offset: 0,
    count: 10,
    cutoff: 0,
    statistics: false,
    nowMs,
  })
}
const lastNode = (path: string) => planPath(path).plan.nodes.at(-1)

const assertRejected = (path: string, message: RegExp) =>
  assert.throws(
    () => planPath(path),
    (error: unknown) =>
      error instanceof Problem && error.code === 'bad-parameter' && message.test(error.message),
    path,
  )

const acme = { kind: 'filter', field: 'brand', alternatives: [{ score: 1, values: ['acme'] }] }

test('any has the parameters and the collection of its parts', () => {
  const description = api.endpoints.find(({ name }) => name === 'neither')
  assert.deepEqual(
    description?.parameters.map(({ name, required }) => [name, required]),
    [
      ['value', true],
      ['from', false],
      ['to', false],
    ],
  )
  assert.deepEqual(lastNode('e/either/p/from/5'), {
    kind: 'any',
    parts: [acme, { kind: 'range', field: 'price', from: 5 }],
    not: false,
  })
  assert.deepEqual(lastNode('e/neither/p/value/acme/p/to/5'), {
    kind: 'any',
    parts: [acme, { kind: 'range', field: 'price', to: 5 }],
    not: true,
  })
})

test('an any with a part that keeps everything keeps everything, and its negation nothing', () => {
  assert.deepEqual(lastNode('e/either'), { kind: 'all' })
  assert.deepEqual(lastNode('e/neither/p/value/acme'), { kind: 'lookup', alternatives: [] })
})

test('each rule of a boost makes its node', () => {
  assert.deepEqual(lastNode('e/search/p/query/x/e/acme-first'), {
    kind: 'boost',
    field: 'brand',
    rule: { by: 'value', values: ['acme'], factor: 2 },
  })
  assert.deepEqual(lastNode('e/popular'), { kind: 'boost', field: 'price', rule: { by: 'log' } })
  assert.deepEqual(lastNode('e/near'), {
    kind: 'boost',
    field: 'place',
    rule: { by: 'distance', lat: 1, lon: 2, halfMeters: 5000 },
  })
  assert.deepEqual(lastNode('e/near/p/lat/-3.5/p/lon/4'), {
    kind: 'boost',
    field: 'place',
    rule: { by: 'distance', lat: -3.5, lon: 4, halfMeters: 5000 },
  })
})

test('a boost by age counts from the start of the minute, and says so', () => {
  const fresh = planPath('e/fresh')
  const minute = Date.parse('2026-01-31T12:34:00Z')
  assert.deepEqual(fresh.plan.nodes, [
    {
      kind: 'boost',
      field: 'added',
      rule: { by: 'age', nowMs: minute, halfLifeMs: 30 * 24 * 60 * 60 * 1000 },
    },
  ])
  assert.equal(fresh.nowMs, minute)
  assert.equal(planPath('e/popular').nowMs, undefined)
})

test('the last endpoint that sorts or boosts decides the order', () => {
  assert.deepEqual(planPath('e/by-price/e/popular').plan.order, [
    { by: 'score' },
    { by: 'field', field: 'price', order: 'ascending' },
  ])
  assert.deepEqual(planPath('e/popular/e/by-price').plan.order, [
    { by: 'field', field: 'price', order: 'ascending' },
  ])
})

test('a place needs both numbers, in range', () => {
  assertRejected('e/near/p/lat/1', /"lon" of "near" is missing/)
  assertRejected('e/nearby/p/lat/91/p/lon/1', /"lat" of "nearby": found "91", allowed: .* from -90 to 90/)
  assertRejected('e/nearby/p/lat/1/p/lon/x', /"lon" of "nearby": found "x", allowed: .* from -180 to 180/)
  assertRejected('e/nearby', /"lat"/)
})
