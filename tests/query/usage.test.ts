/** Usage figures of queries, and the stored parameters (docs/describe-your-search.md, `queryLog`). */
import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Search, Usage, UsageSummary } from '@querent/contract/manage'
import { books, type Library, makeLibrary, workspaceFile } from '#tests/support/library'
import { ignoreMissingFile, type StartedServer, startServer } from '#tests/support/started-server'

let server: StartedServer
let library: Library
let managementToken: string
before(async () => {
  server = await startServer()
  library = await makeLibrary(server)
  const operator = JSON.parse(await readFile(join(server.data, 'operator.json'), 'utf8')) as {
    clientId: string
    clientSecret: string
  }
  const reply = await fetch(`${server.authUrl}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: operator.clientId,
      client_secret: operator.clientSecret,
      audience: `${server.authUrl}/manage/`,
    }),
  })
  managementToken = ((await reply.json()) as { access_token: string }).access_token
})
after(() => server.stop())

const get = async <T>(path: string): Promise<T> => {
  const reply = await fetch(`${server.authUrl}/manage/v1/workspaces/${library.workspace}/${path}`, {
    headers: { authorization: `Bearer ${managementToken}` },
  })
  assert.equal(reply.status, 200)
  return (await reply.json()) as T
}
const manage = async <T>(path: string): Promise<T[]> => (await get<{ items: T[] }>(path)).items
const usage = () => manage<Usage>('usage')
const searches = async () => (await manage<Search>('usage/searches')).map(({ parameters }) => parameters)

const apply = async (settings: string): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'querent-usage-'))
  try {
    const file = join(folder, 'library.yaml')
    await writeFile(file, `${workspaceFile(library.workspace)}settings: ${settings}\n`)
    const { warnings } = await server.applyFile(file)
    assert.deepEqual(warnings, [])
  } finally {
    await rm(folder, { recursive: true })
  }
}

test('queries are counted by day, API, endpoint and account, including failed ones and those without results', async () => {
  const first = 'library/e/search/p/query/golden'
  const paths = [
    `${first}/results`,
    `${first}/e/genre:FILTER/p/value/comedy/count`,
    `${first}/options/genre`,
    'library/e/search/p/query/zzz/count',
    'library/e/search/p/nothing/x/count',
    'library/e/made%20up/count',
    'library/options/genre',
    'library/',
    'library/status',
  ]
  for (const path of paths) await (await library.get(path)).arrayBuffer()
  await (await fetch(`${server.baseUrl}/4/${library.workspace}/api/open/e/all/count`)).arrayBuffer()
  // Rejected requests count as nobody's queries.
  await (await fetch(`${server.baseUrl}/4/${library.workspace}/api/library/e/all/count`)).arrayBuffer()

  const rows = await usage()
  const summary = rows.map(row => [row.api, row.endpoint, row.name, row.queries, row.failed, row.empty])
  assert.deepEqual(summary, [
    ['library', '', 'tests', 1, 1, 0],
    ['library', 'genre', 'tests', 1, 0, 0],
    ['library', 'search', 'tests', 5, 1, 1],
    ['open', 'all', null, 1, 0, 0],
  ])
  for (const { account, durations, queries, day, totalMs, slowestMs } of rows) {
    assert.equal(account, account === null ? null : library.clientId)
    assert.match(day, /^\d{4}-\d\d-\d\d$/)
    assert.ok(durations.every((step, index) => step.queries >= (durations[index - 1]?.queries ?? 0)))
    assert.ok(durations.every(step => step.queries <= queries))
    assert.ok(totalMs <= slowestMs * queries)
  }
})

test('a summary counts queries, refusals, tokens and imports by hour and day, each once', async () => {
  const summarize = (query = '') => get<UsageSummary>(`usage/summary?${query}`)
  const summaryBefore = await summarize()
  const foundPath = 'library/e/search/p/query/golden/results'
  const tag = (await library.get(foundPath)).headers.get('etag') ?? ''
  const queries = [
    await library.get(foundPath, { headers: { 'if-none-match': tag } }),
    await library.get('library/e/search/p/query/zzz/results'),
    await library.get('library/e/search/p/nothing/x/count'),
    await library.get('library/options/genre'),
    // The options of a facet are no search.
    await library.get('library/e/search/p/query/zzz/options/genre'),
    await fetch(`${server.baseUrl}/4/${library.workspace}/api/open/e/all/count`),
  ]
  assert.deepEqual(
    queries.map(({ status }) => status),
    [304, 200, 400, 200, 200, 200],
  )
  const refusedReplies = [
    await fetch(`${server.baseUrl}/4/${library.workspace}/api/library/e/all/count`),
    await fetch(`${server.baseUrl}/4/${library.workspace}/api/library/e/all/count`, {
      headers: { authorization: 'Bearer x' },
    }),
    // Names that a client makes up are not stored.
    await fetch(`${server.baseUrl}/4/${library.workspace}/api/made-up/e/all/count`),
    await fetch(`${server.baseUrl}/4/made-up/api/library/e/all/count`),
    await fetch(`${server.authUrl}/manage/v1/workspaces/${library.workspace}/members`),
  ]
  assert.ok(refusedReplies.every(({ status }) => status === 401))
  const requestToken = (secret: string, headers: Record<string, string> = {}) =>
    fetch(`${server.authUrl}/oauth/token`, {
      method: 'POST',
      headers,
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: library.clientId,
        client_secret: secret,
        audience: server.baseUrl,
      }),
    })
  assert.equal((await requestToken(library.clientSecret)).status, 200)
  // The library answers requests with an origin; the fast path answers the others.
  assert.equal((await requestToken(library.clientSecret, { origin: server.authUrl })).status, 200)
  assert.equal((await requestToken('wrong')).status, 401)
  const lines = [...books.slice(0, 2).map(book => JSON.stringify(book)), '{', '[]']
  // It fails, because the server rejects two of the lines.
  await server.importDocuments(library.workspace, 'books', lines.join('\n')).catch(() => {})

  const summaryAfter = await summarize('period=24h')
  const grown = (summary: UsageSummary, name: keyof UsageSummary['total']) =>
    Number(summary.total[name]) - Number(summaryBefore.total[name])
  assert.deepEqual(
    (
      [
        'searches',
        'emptySearches',
        'queries',
        'failed',
        'counted',
        'empty',
        'refusals',
        'tokens',
        'tokenErrors',
        'accepted',
        'rejected',
      ] as const
    ).map(name => [name, grown(summaryAfter, name)]),
    [
      // The page with all and the text, not its options.
      ['searches', 3],
      ['emptySearches', 1],
      ['queries', 7],
      ['failed', 1],
      ['counted', 3],
      ['empty', 1],
      ['refusals', 4],
      ['tokens', 2],
      ['tokenErrors', 1],
      ['accepted', 2],
      ['rejected', 2],
    ],
  )
  assert.deepEqual(summaryAfter.imports, [{ collection: 'books', accepted: books.length + 2, rejected: 2 }])
  assert.equal(summaryAfter.step, 'hour')
  assert.equal(summaryAfter.points.length, 24)
  assert.equal(
    summaryAfter.points.reduce((sum, { queries }) => sum + queries, 0),
    summaryAfter.total.queries,
  )
  assert.ok(summaryAfter.total.p50Ms !== null && summaryAfter.total.p99Ms !== null)
  assert.ok(0 < summaryAfter.total.p50Ms && summaryAfter.total.p50Ms <= summaryAfter.total.p99Ms)
  assert.ok(summaryAfter.failures.some(({ reason }) => reason === 'bad-parameter'))
  assert.deepEqual(
    summaryAfter.tokenErrors.map(({ reason }) => reason),
    ['invalid_client'],
  )
  for (const period of ['7d', '30d']) {
    const days = await summarize(`period=${period}`)
    assert.equal(days.step, 'day')
    assert.equal(days.points.length, Number.parseInt(period, 10))
    assert.deepEqual(days.total, summaryAfter.total)
    assert.deepEqual(days.endpoints, summaryAfter.endpoints)
  }
  const ofApi = await summarize('api=open')
  assert.equal(ofApi.total.queries, summaryAfter.endpoints.find(({ api }) => api === 'open')?.queries)
  assert.equal(ofApi.total.refusals, 0)
  assert.equal((await summarize('api=library')).total.refusals - summaryBefore.total.refusals, 2)
  const ofEndpoint = await summarize('api=library&endpoint=genre')
  assert.ok(ofEndpoint.total.queries > 0 && ofEndpoint.total.empty === 0)
  assert.deepEqual(ofEndpoint.endpoints, summaryAfter.endpoints)
})

test('search texts are stored as the workspace allows: not at all, hashed, or in full', async () => {
  const query = async (text: string) => {
    const reply = await library.get(`library/e/search/p/query/${text}/count`)
    assert.equal(reply.status, 200)
    await reply.arrayBuffer()
  }
  await query('offword')
  assert.deepEqual(await searches(), [])

  await apply('{ queryLog: { parameters: hashed } }')
  await query('hashedword')
  await query('hashedword')
  await query('otherword')
  const hashed = await searches()
  assert.equal(hashed.length, 2)
  assert.ok(hashed.every(text => /^hmac-sha256:[\w-]{43}$/.test(text)))

  await apply('{ queryLog: { parameters: full, keep: 7d } }')
  await query('full%20word')
  await query('nofind')
  assert.ok((await searches()).includes('e/search/p/query/full%20word'))
  const summary = await get<UsageSummary>('usage/summary?period=7d&api=library&endpoint=search')
  const texts = (list: readonly Search[]) => list.map(({ parameters }) => parameters)
  assert.deepEqual(summary.queryLog, { parameters: 'full', keepDays: 7 })
  assert.ok(texts(summary.topSearches).includes('e/search/p/query/full%20word'))
  assert.ok(texts(summary.topEmptySearches).includes('e/search/p/query/nofind'))
  assert.ok(summary.topEmptySearches.every(({ empty }) => empty > 0))
  const ofGenre = await get<UsageSummary>('usage/summary?api=library&endpoint=genre')
  assert.deepEqual([ofGenre.topSearches, ofGenre.topEmptySearches], [[], []])

  const files = await readdir(server.data, { recursive: true, withFileTypes: true })
  for (const file of files.filter(entry => entry.isFile())) {
    const text = await ignoreMissingFile(readFile(join(file.parentPath, file.name), 'latin1'), '')
    for (const word of ['offword', 'hashedword', 'otherword']) assert.ok(!text.includes(word), file.name)
  }
  assert.ok(!/offword|hashedword|otherword|full%20word/.test(server.log()))
})

test('a malformed day is rejected with its name', async () => {
  for (const [query, message] of [
    ['from=2026-02-30', /from: found "2026-02-30", allowed: a day/],
    ['from=2026-02-02&to=2026-02-01', /from: found 2026-02-02/],
    ['after=x', /after: allowed/],
  ] as const) {
    const reply = await fetch(`${server.authUrl}/manage/v1/workspaces/${library.workspace}/usage?${query}`, {
      headers: { authorization: `Bearer ${managementToken}` },
    })
    assert.equal(reply.status, 400)
    assert.match(((await reply.json()) as { message: string }).message, message)
  }
})

test('a summary of chosen days has each of them, and compares with the days before while they are kept', async () => {
  const today = new Date().toISOString().slice(0, 10)
  const chosen = await get<UsageSummary>(`usage/summary?from=${today}&to=${today}`)
  const week = await get<UsageSummary>('usage/summary?period=7d')
  assert.equal(chosen.points.length, 1)
  assert.equal(chosen.total.queries, week.points.at(-1)?.queries)
  assert.ok(chosen.total.queries > 0)
  assert.equal(chosen.previous?.queries, 0)
  // The 30 days before are not kept.
  assert.equal((await get<UsageSummary>('usage/summary?period=30d')).previous, null)
})

test('a summary of an unknown period, or of an endpoint without its API, is rejected', async () => {
  for (const query of [
    'period=1y',
    'endpoint=search',
    'api=',
    'period=7d&from=2026-01-01',
    'from=2025-01-01&to=2026-01-31',
    'from=2026-02-30&to=2026-03-01',
  ]) {
    const reply = await fetch(
      `${server.authUrl}/manage/v1/workspaces/${library.workspace}/usage/summary?${query}`,
      { headers: { authorization: `Bearer ${managementToken}` } },
    )
    assert.equal(reply.status, 400)
    assert.equal(((await reply.json()) as { code: string }).code, 'bad-parameter')
  }
})
