/** OpenSearch as the engine: the common engine suite, and the same plans on both engines. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { startTestOpenSearch } from '#bench/peers/opensearch'
import { openEmbeddedEngine } from '#server/engines/embedded/embedded'
import type { Engine, EngineErrorCode } from '#server/engines/engine'
import { openOpenSearchEngine } from '#server/engines/opensearch/opensearch'
import { type GenerationVersions, versionsInMemory } from '#server/engines/opensearch/versions'
import { engineSuite } from '#server/engines/suite/engine.suite'
import {
  deadlineMs,
  filter,
  library,
  makePlan,
  matchAll,
  putDocument,
  withCode,
} from '#server/engines/suite/engine.suite.plans'
import { freshDatabase } from '#server/storage/test-postgres'
import { patienceMs } from '#server/test-wait'
import { runQuerent } from '#tests/support/command-line'
import { adminEmail, password } from '#tests/support/console-visit'
import { testAgreement } from '#tests/support/engines-differential'
import { books, makeLibrary } from '#tests/support/library'
import { openPerson } from '#tests/support/person'
import { consoleToken } from '#tests/support/query-sign-in'
import { startServerProcess } from '#tests/support/started-server'

const node = await startTestOpenSearch()
after(() => node[Symbol.asyncDispose]())

const newPrefix = () => `test-${randomBytes(4).toString('hex')}-`
const open = (
  shards: number,
  prefix = newPrefix(),
  versions: GenerationVersions = versionsInMemory(),
): Promise<Engine> => openOpenSearchEngine({ nodes: [node.url], prefix, shards, replicas: 0 }, versions)

engineSuite(
  'OpenSearch',
  async () => {
    const engine = await open(1)
    return { engine, close: () => engine.close() }
  },
  { roundsSums: true, lacksVectors: true, lacksCollapsedFacets: true },
)

describe('OpenSearch, of two shards, and the embedded engine', () => {
  let folder: string
  let embedded: Engine
  let sharded: Engine
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'querent-differential-'))
    embedded = await openEmbeddedEngine({ dataDir: folder })
    sharded = await open(2)
  })
  after(async () => {
    await sharded.close()
    await embedded.close()
    await rm(folder, { recursive: true })
  })
  testAgreement(
    () => embedded,
    () => sharded,
  )
})

test('a server keeps documents in OpenSearch across a restart and a change of fields', async () => {
  const server = await startServerProcess([
    '--engine',
    node.url,
    '--engine-prefix',
    'server-',
    '--engine-replicas',
    '0',
  ])
  try {
    const folder = server.data
    const apply = async (fields: string) => {
      const file = join(folder, 'workspace.yaml')
      await writeFile(
        file,
        `workspace: shop
collections:
  things: { language: english, fields: { title: { type: text }${fields} } }
apis:
  shop:
    access: public
    endpoints: { search: { kind: match, collection: things, fields: [title] }${fields && ', batch: { kind: facet, field: batch }'} }
`,
      )
      await server.applyFile(file)
    }
    await apply('')
    const lines = join(folder, 'things.ndjson')
    await writeFile(lines, '{"id":"https://a.example/1","title":"steel wing","batch":"one"}\n')
    await server.run(['import', 'shop', 'things', lines])
    const get = (path: string, headers = {}) =>
      fetch(`${server.baseUrl}/4/shop/api/shop/e/search/p/query/wings/${path}`, { headers })
    const reply = await get('results')
    const { items } = (await reply.json()) as { items: { tuple: [{ id: string }] }[] }
    assert.equal(items[0]?.tuple[0].id, 'https://a.example/1')
    const etag = reply.headers.get('etag') ?? ''
    assert.equal((await get('results', { 'if-none-match': etag })).status, 304)
    await server.shutDown()
    await server.restart()
    assert.deepEqual(await (await get('count')).json(), { total: 1 })
    await apply(', batch: { type: keyword }')
    const options = (await (await get('options/batch')).json()) as {
      options: { value: string; count: number }[]
    }
    assert.deepEqual(
      options.options.map(({ value, count }) => [value, count]),
      [['one', 1]],
    )
  } finally {
    await server.stop()
  }
})

test('documents in OpenSearch are listed by words, conditions and pages, and protected against lost updates', async () => {
  const server = await startServerProcess([
    '--engine',
    node.url,
    '--engine-prefix',
    'listed-',
    '--engine-replicas',
    '0',
  ])
  try {
    await makeLibrary(server)
    const person = openPerson(server, adminEmail, password)
    const authorization = `Bearer ${await consoleToken(server, person, `${server.baseUrl}/`)}`
    const call = async (path: string, options: { method?: string; body?: string; headers?: object } = {}) => {
      const reply = await fetch(`${server.baseUrl}/4/library/collections/books/documents${path}`, {
        ...options,
        headers: { authorization, 'content-type': 'application/json', ...options.headers },
      })
      const text = await reply.text()
      return {
        status: reply.status,
        tag: reply.headers.get('etag') ?? '',
        body: text === '' ? undefined : JSON.parse(text),
      }
    }
    const countBooks = (isWanted: (book: (typeof books)[number]) => boolean) => books.filter(isWanted).length
    const firstPage = (await call('?count=20')).body
    assert.equal(firstPage.total, books.length)
    const nextPage = (await call(`?count=20&after=${encodeURIComponent(firstPage.next)}`)).body
    const ids = [...firstPage.items, ...nextPage.items].map(({ id }: { id: string }) => id)
    assert.deepEqual(
      ids,
      books
        .map(({ id }) => id)
        .toSorted()
        .slice(0, 40),
    )
    const rivers = countBooks(({ title }) => /river/i.test(title))
    assert.equal((await call('?search=river')).body.total, rivers)
    const dramas = countBooks(({ genre }) => genre.includes('drama'))
    assert.equal((await call('?genre=drama')).body.total, dramas)
    const { values } = (await call('?values=genre&count=1')).body
    assert.equal(values.find(({ value }: { value: string }) => value === 'drama').documents, dramas)

    const { tag } = await call('/b001')
    const putIf = (headers: object) => call('/b001', { method: 'PUT', body: '{"title":"Changed"}', headers })
    assert.equal((await putIf({ 'if-match': tag })).status, 200)
    assert.equal((await putIf({ 'if-match': tag })).status, 412)
    assert.equal((await putIf({ 'if-none-match': '*' })).status, 412)
  } finally {
    await server.stop()
  }
})

test('a backup of documents in OpenSearch restores them there under another prefix, and the doctor reports a healthy engine', async () => {
  const server = await startServerProcess([
    '--engine',
    node.url,
    '--engine-prefix',
    'kept-',
    '--engine-replicas',
    '0',
  ])
  const makeEngineEnvironment = (prefix: string) => ({
    QUERENT_ENGINE: node.url,
    QUERENT_ENGINE_PREFIX: prefix,
    QUERENT_ENGINE_REPLICAS: '0',
  })
  const fetchCount = async () =>
    (await fetch(`${server.baseUrl}/4/library/api/open/e/all/count`)).json() as Promise<{ total: number }>
  const engineCheck = async () => {
    const result = await runQuerent(['doctor', '--data', server.data, '--json'])
    const { checks } = JSON.parse(result.stdout) as {
      checks: { name: string; state: string; message: string }[]
    }
    return checks.filter(({ name }) => name === 'engine')
  }
  try {
    await makeLibrary(server)
    assert.deepEqual(
      (await engineCheck()).map(({ state }) => state),
      ['ok'],
    )
    const file = join(server.data, '..', 'library.backup')
    await server.run(['backup', file])
    await server.shutDown()
    const data = join(server.data, '..', 'restored')
    // A prefix that already has documents is rejected, so that nothing gets mixed.
    const restoreResult = await runQuerent(['restore', file, '--data', data, '--json'], {
      env: makeEngineEnvironment('kept-'),
    })
    assert.match(restoreResult.stderr, /has documents of this backup already/)
    const { stdout, stderr } = await runQuerent(['restore', file, '--data', data, '--json'], {
      env: makeEngineEnvironment('other-'),
    })
    assert.equal(JSON.parse(stdout).documents, books.length, stderr)
    await rm(server.data, { recursive: true })
    await rename(data, server.data)
    Object.assign(process.env, makeEngineEnvironment('other-'))
    await server.restart()
    assert.deepEqual(await fetchCount(), { total: books.length })
  } finally {
    for (const name of Object.keys(makeEngineEnvironment(''))) delete process.env[name]
    await server.stop()
  }
})

test('a data folder can move its documents to OpenSearch with the same replies, and then its storage to PostgreSQL', async () => {
  const server = await startServerProcess()
  const environment: Record<string, string> = {
    QUERENT_ENGINE: node.url,
    QUERENT_ENGINE_PREFIX: 'moved-',
    QUERENT_ENGINE_REPLICAS: '0',
  }
  const move = async () => {
    const result = await runQuerent(['move', '--data', server.data, '--json'], { env: environment })
    assert.equal(result.code, 0, result.stderr)
    return JSON.parse(result.stdout)
  }
  try {
    const library = await makeLibrary(server)
    const answers = async () =>
      Promise.all(
        [
          'library/e/search/p/query/silent%20winter/results?count=50',
          'library/e/search/p/query/%22golden%20mirror%22%20-castle/results,count',
          'library/e/all/e/available/options/genre',
          'library/e/long/p/pages/137/results',
          'library/e/available/statistics',
          'library/e/all/resultpage',
        ].map(async path => {
          const reply = await library.get(path)
          // OpenSearch has 24 bits for probabilities.
          const rounded = (_: string, value: unknown) =>
            typeof value === 'number' ? Math.round(value * 1e5) / 1e5 : value
          return { path, status: reply.status, body: JSON.parse(await reply.text(), rounded) }
        }),
      )
    const answersBefore = await answers()
    for (const { path, status } of answersBefore) assert.equal(status, 200, path)
    await server.shutDown()
    const { rows, documents, formerEngine } = await move()
    assert.deepEqual(
      [rows, documents, formerEngine],
      [undefined, books.length, join(server.data, 'engine.moved')],
    )
    const stale = await runQuerent(['serve', '--data', server.data])
    assert.deepEqual([stale.code, stale.stdout], [1, ''])
    assert.match(stale.stderr, /the documents of .* were moved to OpenSearch: set --engine/)
    Object.assign(process.env, environment)
    await server.restart()
    assert.deepEqual(await answers(), answersBefore)
    await server.shutDown()
    environment.QUERENT_STORAGE = await freshDatabase()
    const next = await move()
    assert.deepEqual([next.rows.workspaces, next.documents], [1, undefined], 'they are there already')
  } finally {
    for (const name of Object.keys(environment)) delete process.env[name]
    await server.stop()
  }
})

test('nodes share generations: all find what one makes searchable, under one version, and none keeps what one drops', async () => {
  const [prefix, versions] = [newPrefix(), versionsInMemory()]
  const nodes = await Promise.all([open(1, prefix, versions), open(1, prefix, versions)])
  const [one, other] = nodes
  assert.ok(one && other)
  try {
    await Promise.all(nodes.map(engine => engine.open('g', library)))
    await one.write('g', [putDocument('a', { tag: 'x' }), putDocument('b', { tag: 'y' })])
    await one.refresh('g')
    assert.deepEqual(other.info('g'), one.info('g'))
    assert.equal(other.info('g').documents, 2)
    const { total } = await other.search('g', makePlan([matchAll]), deadlineMs)
    assert.equal(total, 2)
    const { version } = one.info('g')
    assert.equal(await other.deleteMatching('g', makePlan([filter('tag', ['x'])])), 1)
    await other.refresh('g')
    assert.ok(one.version('g') > version)
    assert.equal(one.info('g').documents, 1)
    // Both rebuild it for other fields at the same time.
    const spec = { fields: [...library.fields, { name: 'shelf', type: 'keyword' as const }] }
    await Promise.all(nodes.map(engine => engine.open('g', spec)))
    for (const engine of nodes)
      assert.equal((await engine.search('g', makePlan([matchAll]), deadlineMs)).total, 1)
    await one.drop('g')
    await assert.rejects(other.search('g', makePlan([matchAll]), deadlineMs), withCode('unavailable'))
    await assert.rejects(other.write('g', [putDocument('c', {})]), withCode('unavailable'))
  } finally {
    await one.close()
    // Its generation no longer exists.
    await other.close().catch(() => {})
  }
})

/** Settings of the index behind an alias. */
const changeIndexSettings = (alias: string, settings: Record<string, unknown>) =>
  node.call('PUT', `/${alias}/_settings`, JSON.stringify({ index: settings }))
const assertRejected = (call: Promise<unknown>, message: RegExp, code: EngineErrorCode = 'unavailable') =>
  assert.rejects(call, error => withCode(code)(error) && message.test(String(error)))

test('a full disk, a blocked index and a deleted index each get their own error, and the engine recovers', async () => {
  const prefix = newPrefix()
  const engine = await open(1, prefix)
  try {
    await engine.open('g', library)
    const block = (name: string, isSet: boolean | null) =>
      changeIndexSettings(`${prefix}g`, { [`blocks.${name}`]: isSet })
    // OpenSearch sets this itself on a disk that is nearly full.
    await block('read_only_allow_delete', true)
    await assertRejected(engine.write('g', [putDocument('a', {})]), /disks of OpenSearch are too full/)
    await block('read_only_allow_delete', null)
    await block('write', true)
    await assertRejected(engine.write('g', [putDocument('a', {})]), /an operator has blocked it/)
    await block('write', null)
    await engine.write('g', [putDocument('a', {})])
    await engine.refresh('g')
    assert.equal((await engine.search('g', makePlan([matchAll]), deadlineMs)).total, 1)
    const [index = ''] = Object.keys((await node.call('GET', `/${prefix}g`)) as object)
    await node.call('DELETE', `/${index}`)
    await assertRejected(
      engine.search('g', makePlan([matchAll]), deadlineMs),
      /OpenSearch has no index for this generation/,
    )
    await assertRejected(
      engine.write('g', [putDocument('b', {})]),
      /OpenSearch has no index for this generation/,
    )
    await engine.release('g')
    await engine.open('g', library)
    await engine.write('g', [putDocument('b', {})])
    await engine.refresh('g')
    assert.equal(engine.info('g').documents, 1)
  } finally {
    await engine.close()
  }
})

test('collections open on first use; one that hangs times out, blocks no other, and is tried again', async t => {
  const [prefix, versions] = [newPrefix(), versionsInMemory()]
  const first = await open(1, prefix, versions)
  for (const id of ['g', 'h']) {
    await first.open(id, library)
    await first.write(id, [putDocument('a', {})])
  }
  await first.close()
  let isHanging = true
  const heldReplies: ServerResponse[] = []
  const interceptor = createServer(async (request, reply) => {
    if (isHanging && request.url === `/${prefix}g/_refresh`) return void heldReplies.push(reply)
    const { method = 'GET', url = '/', headers } = request
    const body = method === 'GET' || method === 'HEAD' ? {} : { body: await buffer(request) }
    const answer = await fetch(`${node.url}${url}`, {
      method,
      headers: { 'content-type': headers['content-type'] ?? 'application/json' },
      ...body,
    })
    reply.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
    reply.end(await answer.text())
  }).listen(0, '127.0.0.1')
  t.after(() => interceptor.close())
  await once(interceptor, 'listening')
  // A listening TCP server has an AddressInfo.
  const { port } = interceptor.address() as AddressInfo
  const settings = { nodes: [`http://127.0.0.1:${port}`], prefix, shards: 1, replicas: 0 }
  const engine = await openOpenSearchEngine(settings, versions)
  const rebuildStates: string[] = []
  engine.onRebuild(({ generation, state }) => rebuildStates.push(`${generation} ${state}`))
  try {
    for (const id of ['g', 'h']) await engine.open(id, library, true)
    assert.deepEqual([engine.isOpened?.('g'), engine.isOpened?.('h')], [false, false])
    assert.equal((await engine.search('h', makePlan([matchAll]), deadlineMs)).total, 1)
    assert.equal(engine.info('h').documents, 1)
    await assertRejected(
      engine.search('g', makePlan([matchAll]), 100),
      /took longer than the deadline/,
      'timeout',
    )
    await assertRejected(engine.open('g', library), /did not answer in time/, 'timeout')
    // Concurrent callers do not ask again.
    await assertRejected(engine.get('g', 'a'), /did not answer in time/, 'timeout')
    assert.deepEqual(rebuildStates, ['g open-failed'])
    isHanging = false
    const isFound = async () =>
      assert.equal((await engine.search('g', makePlan([matchAll]), deadlineMs)).total, 1)
    await t.waitFor(isFound, { timeout: patienceMs })
    assert.equal(engine.whenOpened?.('g'), undefined)
    assert.equal(engine.info('g').documents, 1)
  } finally {
    for (const reply of heldReplies) reply.destroy()
    await engine.close()
  }
})

test('a closed index, an index without a primary, the index limit and low memory each get their own error, and the engine recovers', async t => {
  const prefix = newPrefix()
  const engine = await open(1, prefix)
  const alias = `${prefix}g`
  const searchAll = () => engine.search('g', makePlan([matchAll]), deadlineMs)
  const changeClusterSetting = (name: string, value: unknown) =>
    node.call('PUT', '/_cluster/settings', JSON.stringify({ transient: { [name]: value } }))
  try {
    await engine.open('g', library)
    await engine.write('g', [putDocument('a', {})])
    await engine.refresh('g')
    await node.call('POST', `/${alias}/_close`)
    await assertRejected(searchAll(), /is closed in OpenSearch/)
    await assertRejected(engine.write('g', [putDocument('b', {})]), /is closed in OpenSearch/)
    // With one node, this setting leaves the only copy unassigned.
    const recoveries = 'cluster.routing.allocation.node_initial_primaries_recoveries'
    await changeClusterSetting(recoveries, 0)
    await node.call('POST', `/${alias}/_open?wait_for_active_shards=0`)
    await assertRejected(searchAll(), /OpenSearch cannot answer now/)
    await assertRejected(engine.get('g', 'a'), /OpenSearch cannot answer now/)
    await changeClusterSetting(recoveries, null)
    await node.call('POST', '/_cluster/reroute')
    await t.waitFor(async () => assert.equal((await searchAll()).total, 1), { timeout: patienceMs })
    for (const [name, value, message] of [
      ['cluster.max_shards_per_node', 1, /it has reached cluster\.max_shards_per_node/],
      ['cluster.blocks.create_index', true, /cannot create indexes now/],
    ] as const) {
      await changeClusterSetting(name, value)
      await assertRejected(engine.open('h', library), message)
      await changeClusterSetting(name, null)
    }
    await engine.open('h', library)
    await changeClusterSetting('indices.breaker.total.limit', '1b')
    await assertRejected(searchAll(), /OpenSearch is overloaded/, 'overloaded')
    await changeClusterSetting('indices.breaker.total.limit', null)
    assert.equal((await searchAll()).total, 1)
  } finally {
    await engine.close()
  }
})
