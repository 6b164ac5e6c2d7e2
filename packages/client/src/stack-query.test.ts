import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readShownValues } from '@querent/contract/tuple-list'
import fc from 'fast-check'
import { ApiError } from './errors.ts'
import { queryApi } from './query.ts'
import { writeFilterValue } from './stack-query.ts'
import { listen, readBody, sendJson } from './test-server.ts'

test('methods build the path of a stack, and each leaves the query that it refines as it is', async t => {
  const urls: (string | undefined)[] = []
  const baseUrl = await listen(t, (request, reply) => {
    urls.push(request.url)
    sendJson(reply, 200, { total: 1 })
  })
  const api = queryApi({ baseUrl }, 'museum', 'works')
  const girls = api.query('search', { query: 'a/b girl' })
  await girls.filter('artist', ['Vermeer', 'a "b"']).refine('oldest').count({ config: 'staging' })
  await girls.refine('year', { from: '1600' }).options('artist', { multiselect: true })
  await api.filter('artist', 'Vermeer').resultsCount()
  await girls.resultItem({ rank: 2 })
  const base = '/4/museum/api/works'
  assert.deepEqual(urls, [
    `${base}/e/search/p/query/a%2Fb%20girl/e/artist:FILTER/p/value/1(%22Vermeer%22%2C%22a%20%5C%22b%5C%22%22)/e/oldest/count?config=staging`,
    `${base}/e/search/p/query/a%2Fb%20girl/e/year/p/from/1600/options/artist?multiselect=true`,
    `${base}/e/artist:FILTER/p/value/Vermeer/results,count`,
    `${base}/e/search/p/query/a%2Fb%20girl/resultitem?rank=2`,
  ])
})

test('the server reads every filter value as the texts that were given', () => {
  const values = fc.uniqueArray(
    fc.oneof(fc.string(), fc.stringMatching(/^[01(),|"\\ .a]{0,12}$/), fc.constantFrom('.', '..', '1(a)')),
    { minLength: 1 },
  )
  fc.assert(
    fc.property(values, texts => {
      const read = readShownValues(writeFilterValue(texts)).flatMap(tuple => tuple.values)
      assert.deepEqual([...read].sort(), [...texts].sort())
    }),
  )
})

test('iterators read page after page as they are needed, and stop after the last', async t => {
  const cursors: (string | null)[] = []
  const baseUrl = await listen(t, (request, reply) => {
    const cursor = new URL(request.url ?? '', 'http://x').searchParams.get('cursor')
    cursors.push(cursor)
    const page = cursor === '*' ? 1 : Number(cursor)
    const items = [1, 2].map(rank => ({ rank: (page - 1) * 2 + rank, probability: 1, tuple: [] }))
    sendJson(reply, 200, { offset: 0, count: 2, type: [], items, next: page < 3 ? String(page + 1) : null })
  })
  const query = queryApi({ baseUrl }, 'w', 'a').query('all')
  const ranks: number[] = []
  for await (const { rank } of query.items({ count: 2 })) ranks.push(rank)
  assert.deepEqual(ranks, [1, 2, 3, 4, 5, 6])
  assert.deepEqual(cursors, ['*', '2', '3'])
  for await (const { rank } of query.items({ count: 2 })) if (rank === 2) break
  assert.deepEqual(cursors.slice(3), ['*'])
})

test('a batch returns each outcome in its place, and a failed query has its error', async t => {
  const bodies: unknown[] = []
  const baseUrl = await listen(t, async (request, reply) => {
    bodies.push([request.method, request.url, JSON.parse(await readBody(request))])
    sendJson(reply, 200, {
      responses: [
        { status: 200, body: { total: 7 } },
        { status: 400, body: { message: 'no endpoint', status: 400, code: 'unknown-endpoint' } },
      ],
    })
  })
  const api = queryApi({ baseUrl }, 'w', 'a')
  const [first, second] = await api.batch([
    api.query('search', { query: 'x y' }).request.count(),
    'e/serch/count',
  ])
  assert.deepEqual(bodies, [
    ['POST', '/4/w/api/a/batch', { requests: ['e/search/p/query/x%20y/count', 'e/serch/count'] }],
  ])
  assert.deepEqual(first, { ok: true, status: 200, body: { total: 7 } })
  assert.ok(second && !second.ok && second.error instanceof ApiError)
  assert.equal(second.error.code, 'unknown-endpoint')
})
