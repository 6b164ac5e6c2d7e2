/** Several queries in one request (query-service.md, Batch). */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Library, makeLibrary } from '#tests/support/library'
import { type StartedServer, startServer } from '#tests/support/started-server'

let server: StartedServer
let library: Library
before(async () => {
  // One test sends more queries than the limit of an account allows.
  server = await startServer(['--rate-limit', 'off'])
  library = await makeLibrary(server)
})
after(() => server.stop())

interface BatchReply {
  responses: { status: number; body: Record<string, unknown> }[]
}

const post = (requests: unknown, init: RequestInit = {}, api = 'library') =>
  library.get(`${api}/batch`, {
    method: 'POST',
    body: JSON.stringify({ requests }),
    ...init,
    headers: { 'content-type': 'application/json', ...init.headers },
  })
const run = async (requests: unknown): Promise<BatchReply> => {
  const reply = await post(requests)
  assert.equal(reply.status, 200)
  // The shape of the contract.
  return (await reply.json()) as BatchReply
}

test('a batch answers each query like a GET, in the order of the requests', async () => {
  const requests = [
    'e/search/p/query/golden/results,count?count=3&highlight=true',
    'q/search/p/query/golden/options/genre?count=2',
    'e/search/p/query/golden/e/genre:FILTER/p/value/history%2Fmodern/count',
    'options/genre?query=dra',
    'e/all/resultitem?rank=3',
    'e/all/statistics',
    'e/all/resultpage?count=2&offset=4&attributes=title',
    'e/genre/results?homogeneousArrays=true',
  ]
  const { responses } = await run(requests)
  const expected = await Promise.all(
    requests.map(async path => ({ status: 200, body: await (await library.get(`library/${path}`)).json() })),
  )
  assert.deepEqual(responses, expected)
  // Queries that were cached by a batch answer a GET with the same headers as before.
  const path = 'e/search/p/query/silent/results'
  const batch = await post([path])
  assert.match(batch.headers.get('server-timing') ?? '', /^total;dur=\d+$/)
  const reply = await library.get(`library/${path}`)
  assert.equal(reply.headers.get('vary'), 'Origin, accept-encoding, Accept')
})

test('a failing query has its error in the reply, and the others are answered', async () => {
  const cases: [string, number, string][] = [
    ['e/serch/p/query/x/results', 400, 'unknown-endpoint'],
    ['e/all/results?count=0', 400, 'bad-option'],
    ['e/all/results?format=csv', 400, 'bad-option'],
    ['e/all/results?config=nothing', 404, 'no-such-configuration'],
    ['e/all/results?access_token=x', 400, 'token-in-url'],
    ['e/all/resultitem?rank=9999', 404, 'no-such-resource'],
    ['e/search/p/query/%zz/results', 400, 'bad-path'],
    ['status', 400, 'bad-path'],
    ['batch', 400, 'bad-path'],
    ['../open/e/all/results', 400, 'bad-path'],
    ['', 400, 'bad-path'],
    [`e/search/p/query/${'x'.repeat(17_000)}/results`, 414, 'url-too-long'],
  ]
  const { responses } = await run([...cases.map(([path]) => path), 'e/all/count'])
  assert.deepEqual(responses.at(-1), { status: 200, body: { total: 200 } })
  for (const [index, [path, status, code]] of cases.entries()) {
    const response = responses[index]
    assert.deepEqual(
      [response?.status, response?.body.status, response?.body.code],
      [status, status, code],
      path,
    )
    assert.deepEqual(Object.keys(response?.body ?? {}).sort(), ['code', 'message', 'requestId', 'status'])
  }
})

test('the configuration in the URL of a batch answers its queries, except those that name another', async () => {
  const definition = {
    workspace: 'staged',
    collections: { books: { fields: { title: { type: 'text' } } } },
    configurations: { staging: { books: 'latest', public: true } },
    apis: { open: { access: 'public', endpoints: { all: { kind: 'all', collection: 'books' } } } },
  }
  await server.applyWorkspace(JSON.stringify(definition))
  await server.importDocuments('staged', 'books', '{"id":"1"}\n{"id":"2"}')
  await server.importDocuments('staged', 'books', '{"id":"3"}', { replace: true, stage: true })
  const send = async (search: string) => {
    const reply = await fetch(`${server.baseUrl}/4/staged/api/open/batch${search}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ requests: ['e/all/count', 'e/all/count?config=default', 'e/all/count?x=1'] }),
    })
    // An error, or the shape of the contract.
    const { code, responses } = (await reply.json()) as Partial<BatchReply> & { code?: string }
    return { reply, code, totals: responses?.map(({ body }) => body.total) }
  }
  assert.deepEqual((await send('')).totals, [2, 2, 2])
  assert.deepEqual((await send('?config=staging')).totals, [1, 2, 1])
  for (const [search, status, expectedCode] of [
    ['?config=nothing', 404, 'no-such-configuration'],
    ['?config=staging&config=staging', 400, 'bad-option'],
    ['?count=0', 400, 'bad-option'],
  ] as const) {
    const { reply, code } = await send(search)
    assert.deepEqual([reply.status, code], [status, expectedCode], search)
  }
  const { reply } = await send('?confg=staging')
  assert.equal(reply.headers.get('querent-ignored-parameters'), '"confg";did-you-mean="config"')
})

test('the body must be JSON with 1 to 20 queries of at most 512 KiB', async () => {
  assert.equal((await run(Array.from({ length: 20 }, () => 'e/all/count'))).responses.length, 20)
  for (const [init, status, code] of [
    [
      { body: JSON.stringify({ requests: Array.from({ length: 21 }, () => 'e/all/count') }) },
      400,
      'bad-request',
    ],
    [{ body: '{"requests":[]}' }, 400, 'bad-request'],
    [{ body: '{"requests":[1]}' }, 400, 'bad-request'],
    [{ body: '{"requests":"e/all/count"}' }, 400, 'bad-request'],
    [{ body: '[]' }, 400, 'bad-request'],
    [{ body: '{' }, 400, 'bad-request'],
    [{ body: 'requests=x', headers: { 'content-type': 'text/plain' } }, 415, 'unsupported-media-type'],
    [{ body: '{}', headers: { 'content-encoding': 'gzip' } }, 415, 'unsupported-media-type'],
    [{ body: JSON.stringify({ requests: ['x'.repeat(600_000)] }) }, 413, 'body-too-large'],
  ] satisfies [RequestInit, number, string][]) {
    const reply = await post([], init)
    // The body of an error.
    const body = (await reply.json()) as { code: string }
    assert.deepEqual([reply.status, body.code], [status, code], String(init.body).slice(0, 50))
  }
})

test('a batch needs the authorization of a query, and only POST', async () => {
  const url = `${server.baseUrl}/4/library/api/library/batch`
  const anonymous = await fetch(url, { method: 'POST', body: '{' })
  assert.equal(anonymous.status, 401)
  assert.match(anonymous.headers.get('www-authenticate') ?? '', /resource_metadata=/)
  assert.equal((await post(['e/all/count'], {}, 'nothing')).status, 404)
  assert.equal((await library.get('library/batch?access_token=x', { method: 'POST' })).status, 400)
  for (const method of ['GET', 'HEAD', 'PUT', 'DELETE'])
    for (const path of ['library/batch', 'library/batch?count=0&config=nothing']) {
      const reply = await library.get(path, { method })
      assert.deepEqual([reply.status, reply.headers.get('allow')], [405, 'POST, OPTIONS'], method)
    }
  assert.equal((await fetch(url)).status, 401)
  const otherPath = await library.get('library/e/all/count', { method: 'POST' })
  assert.deepEqual([otherPath.status, otherPath.headers.get('allow')], [405, 'GET, HEAD, OPTIONS'])
})

test('pages of other origins may send a batch to a public API', async () => {
  const url = `${server.baseUrl}/4/library/api/open/batch`
  const origin = 'https://anywhere.example'
  const preflight = await fetch(url, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type',
    },
  })
  assert.deepEqual(
    ['origin', 'methods', 'headers'].map(name => preflight.headers.get(`access-control-allow-${name}`)),
    ['*', 'POST', 'content-type'],
  )
  for (const body of ['{"requests":["e/all/count"]}', '{']) {
    const reply = await fetch(url, {
      method: 'POST',
      body,
      headers: { origin, 'content-type': 'application/json' },
    })
    assert.equal(reply.headers.get('access-control-allow-origin'), '*', body)
  }
})

test('all queries of a batch see the same documents, while documents are imported', async () => {
  const file = JSON.stringify({ id: 'later', title: 'A golden river', genre: ['drama'] })
  let isImporting = true
  const importing = (async () => {
    for (let turn = 0; turn < 8; turn++)
      await server.importDocuments('library', 'books', file.replace('later', `later${turn}`))
    isImporting = false
  })()
  const totals = new Set<number>()
  while (isImporting) {
    const reply = await post(Array.from({ length: 20 }, (_, index) => `e/all/count?count=${index + 1}`))
    if (reply.status === 503) continue
    // The shape of the contract.
    const { responses } = (await reply.json()) as BatchReply
    assert.ok(
      responses.every(({ status }) => status === 200),
      JSON.stringify(responses),
    )
    const batchTotals = new Set(responses.map(({ body }) => Number(body.total)))
    assert.equal(batchTotals.size, 1)
    for (const total of batchTotals) totals.add(total)
  }
  await importing
  assert.ok(totals.size > 0)
})

test('each query of a batch counts toward the limit of its account', async () => {
  const limited = await startServer(['--rate-limit', '30'])
  try {
    const limitedLibrary = await makeLibrary(limited)
    const send = (count: number) =>
      limitedLibrary.get('library/batch', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ requests: Array.from({ length: count }, () => 'e/all/count') }),
      })
    const first = await send(20)
    assert.deepEqual([first.status, first.headers.get('ratelimit-remaining')], [200, '10'])
    // The shape of the contract.
    const { responses } = (await (await send(20)).json()) as BatchReply
    assert.deepEqual(
      responses.map(({ status }) => status),
      [...Array.from({ length: 10 }, () => 200), ...Array.from({ length: 10 }, () => 429)],
    )
    assert.equal((await limitedLibrary.get('library/e/all/count')).status, 429)
  } finally {
    await limited.stop()
  }
})
