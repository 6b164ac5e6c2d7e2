import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from './errors.ts'
import { queryApi } from './query.ts'
import { listen, sendJson } from './test-server.ts'

test('onIgnoredParameters receives the query parameters that the server ignored', async t => {
  const baseUrl = await listen(t, (_request, reply) => {
    reply.setHeader('querent-ignored-parameters', '"rows"')
    sendJson(reply, 200, { total: 1 })
  })
  const ignored: string[] = []
  const api = queryApi(
    { baseUrl, onIgnoredParameters: names => ignored.push(names) },
    'dictionary',
    'dictionary',
  )
  await api.count([{ endpoint: 'all', parameters: [] }])
  assert.deepEqual(ignored, ['"rows"'])
})

test('each query uses the path of the contract, with its options and the token', async t => {
  const requests: string[] = []
  const baseUrl = await listen(t, (request, reply) => {
    requests.push(`${request.headers.authorization} ${request.url}`)
    sendJson(reply, 200, { total: 1 })
  })
  const api = queryApi({ baseUrl: `${baseUrl}/`, token: async () => 'T' }, 'dictionary', 'dictionary')
  const stack = [
    { endpoint: 'search', parameters: [{ name: 'query', value: 'a/b 100% é' }] },
    { endpoint: 'domain:FILTER', parameters: [{ name: 'value', value: '1(a,b)' }] },
  ]
  await api.results(stack, { count: 3, config: 'default' })
  await api.count(stack.slice(0, 1))
  await api.statistics(stack.slice(0, 1))
  await api.resultPage(stack.slice(0, 1))
  await api.resultItem(stack.slice(0, 1), { rank: 2 })
  await api.resultsCount([{ endpoint: 'everything', parameters: [] }])
  await api.options([], 'domain', { multiselect: true })
  await api.about()
  await api.status()
  const base = '/4/dictionary/api/dictionary'
  const search = `${base}/e/search/p/query/a%2Fb%20100%25%20%C3%A9`
  assert.deepEqual(requests, [
    `Bearer T ${search}/e/domain:FILTER/p/value/1(a%2Cb)/results?count=3&config=default`,
    `Bearer T ${search}/count`,
    `Bearer T ${search}/statistics`,
    `Bearer T ${search}/resultpage`,
    `Bearer T ${search}/resultitem?rank=2`,
    `Bearer T ${base}/e/everything/results,count`,
    `Bearer T ${base}/options/domain?multiselect=true`,
    `Bearer T ${base}`,
    `Bearer T ${base}/status`,
  ])
})

test('without a token source, queries send no token, and an error reply becomes an ApiError', async t => {
  const baseUrl = await listen(t, (request, reply) => {
    assert.equal(request.headers.authorization, undefined)
    sendJson(reply, 401, { message: 'no token', status: 401, code: 'no-token', requestId: 'r1' })
  })
  await assert.rejects(queryApi({ baseUrl }, 'w', 'a').about(), (error: unknown) => {
    assert.ok(error instanceof ApiError)
    assert.deepEqual(
      { ...error, message: error.message },
      {
        name: 'ApiError',
        status: 401,
        code: 'no-token',
        requestId: 'r1',
        errors: [],
        rejectedAt: undefined,
        retryAfterSeconds: undefined,
        message: 'no token',
      },
    )
    return true
  })
})

test('an error page of a proxy becomes an ApiError too', async t => {
  const baseUrl = await listen(t, (_, reply) => {
    reply.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>')
  })
  await assert.rejects(queryApi({ baseUrl }, 'w', 'a').about(), { code: 'unknown', status: 502 })
})
