/** Usage figures of queries, and the stored parameters (docs/describe-your-search.md, `queryLog`). */
import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Search, Usage } from '@querent/contract/manage'
import { type Library, makeLibrary, workspaceFile } from '#tests/support/library'
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

const manage = async <T>(path: string): Promise<T[]> => {
  const reply = await fetch(`${server.authUrl}/manage/v1/workspaces/${library.workspace}/${path}`, {
    headers: { authorization: `Bearer ${managementToken}` },
  })
  assert.equal(reply.status, 200)
  return ((await reply.json()) as { items: T[] }).items
}
const usage = () => manage<Usage>('usage')
const searches = async () => (await manage<Search>('usage/searches')).map(({ parameters }) => parameters)

const apply = async (settings: string): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'querent-usage-'))
  try {
    const file = join(folder, 'library.yaml')
    await writeFile(file, `${workspaceFile(library.workspace)}settings: ${settings}\n`)
    const { warnings } = (await server.run(['apply', file])) as { warnings: unknown[] }
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
  assert.ok((await searches()).includes('e/search/p/query/full%20word'))

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
