/** What a node needs to start beside others, as its operator sees it. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { clientCredentials, managementAudience } from '@querent/client'
import { type Nodes, startNodes } from './nodes.ts'
import { fetchToken } from './started-server.ts'
import { startTcpProxy } from './tcp-proxy.ts'

let service: Nodes
before(async () => {
  service = await startNodes({
    nodes: [{}],
    engine: 'opensearch',
    flags: ['--engine-replicas', '0'],
  })
})
after(async () => {
  await service?.stop()
})

const urlOf = (at: number) => service.nodes[at]?.queryUrl ?? assert.fail('it has no query service')

test('nodes start at the same moment beside another, and one whose data folder was thrown away starts again', async () => {
  const [one] = await Promise.all([service.add(), service.add({ only: 'query' })])
  await one.shutDown()
  await rm(one.data, { recursive: true })
  await one.start()
})

/** A workspace of documents that have a title and a batch; the file names this field besides. */
const shopWith = (field?: string) => `
workspace: shop
collections:
  things:
    language: english
    fields: { title: { type: text }${field === undefined ? '' : `, ${field}: { type: keyword }`} }
apis:
  shop:
    access: public
    endpoints:
      search: { kind: match, collection: things, fields: [title] }
${field === undefined ? '' : `      ${field}: { kind: facet, field: ${field} }`}
`
const shopPath = '/4/shop/api/shop/e/search/p/query/wings'

test('documents that come in by one node are found by another within a second, under the same ETag', async () => {
  await service.run(['apply', '-'], { input: shopWith() })
  await service.run(['import', 'shop', 'things', '-'], {
    input: '{"id":"https://a.example/1","title":"steel wing","batch":"one"}\n',
  })
  const ask = async (at: number) => {
    const reply = await fetch(`${urlOf(at)}${shopPath}/count`)
    return { etag: reply.headers.get('etag'), body: await reply.json() }
  }
  const agree = async () => {
    const [one, ...others] = await Promise.all([0, 1, 2].map(ask))
    assert.deepEqual(one?.body, { total: 1 })
    for (const other of others) assert.deepEqual(other, one)
  }
  const from = performance.now()
  // How long replies take on a busy machine is not what is promised.
  for (let isAgreed = false; !isAgreed; ) {
    const askedAt = performance.now()
    isAgreed = await agree().then(
      () => true,
      error => {
        if (askedAt - from > 1000) throw error
        return false
      },
    )
  }
})

test('a field that is added at one node has its documents at another within a second, and never its name alone', async () => {
  const management = await service.management()
  let appliedAt = Number.POSITIVE_INFINITY
  const options = async () => {
    for (;;) {
      const askedAt = performance.now()
      const reply = await fetch(`${urlOf(2)}${shopPath}/options/batch`)
      const body = (await reply.json()) as { code?: string; options?: { value: string; count: number }[] }
      if (reply.status !== 400 || body.code !== 'unknown-endpoint') return { status: reply.status, body }
      assert.ok(askedAt - appliedAt < 1000, 'the definition of before')
    }
  }
  const asking = options()
  await management.call('applyWorkspaceFile', { input: { source: shopWith('batch') } })
  appliedAt = performance.now()
  const { status, body } = await asking
  assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual(
    body.options?.map(({ value, count }) => [value, count]),
    [['one', 1]],
  )
})

test('how far an import is that comes in by one node is told by another', async t => {
  const account = await service.run(['s2s', 'create', 'shop', 'loader', '--role', 'data-provider'])
  // The reply of `s2s create`, as the contract has it.
  const token = await fetchToken(service, account as { clientId: string; clientSecret: string })
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' }
  const things = '/4/shop/collections/things'
  const lines = (count: number, from: number) =>
    Array.from({ length: count }, (_, at) => `{"id":"https://a.example/${from + at}","title":"nut"}\n`).join(
      '',
    )
  const parts = [lines(1500, 10_000), lines(500, 20_000)]
  const { promise: seen, resolve: isSeen } = Promise.withResolvers<void>()
  const body = ReadableStream.from(
    (async function* () {
      yield Buffer.from(parts[0] ?? '')
      await seen
      yield Buffer.from(parts[1] ?? '')
    })(),
  )
  const address = `${urlOf(0)}${things}/documents?import=nuts`
  const importing = fetch(address, { method: 'POST', headers, body, duplex: 'half' })
  const progress = async () => (await fetch(`${urlOf(2)}${things}/imports/nuts`, { headers })).json()
  const half = { state: 'running', bytes: parts[0]?.length, documents: 1000 }
  await t.waitFor(async () => assert.deepEqual(await progress(), half), { timeout: 20_000, interval: 100 })
  isSeen()
  assert.equal((await importing).status, 200)
  assert.deepEqual(await progress(), { state: 'complete', bytes: parts.join('').length, documents: 2000 })
})

test('after a restart a collection whose index is closed or red is 503 alone, until that is well or replaced; all else answers at once', async t => {
  const names = ['whole', 'shut', 'red']
  const mixed = (field = '') => `
workspace: mixed
collections:
${names.map(name => `  ${name}: { fields: { title: { type: text }${name === 'whole' ? field : ''} } }`).join('\n')}
apis:
${names.map(name => `  ${name}: { access: public, endpoints: { all: { kind: all, collection: ${name} } } }`).join('\n')}
`
  await service.run(['apply', '-'], { input: mixed() })
  const titled = (name: string) => `{"id":"https://${name}.example/1","title":"nut"}\n`
  for (const name of names) await service.run(['import', 'mixed', name, '-'], { input: titled(name) })
  const openSearch = async (method: string, path: string, body?: object) => {
    const reply = await fetch(`${service.engine}${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    assert.equal(reply.status, 200, path)
    return reply.json()
  }
  const indexOf = async (name: string) => {
    const query = { query: { term: { id: `https://${name}.example/1` } } }
    // As OpenSearch describes it.
    const found = (await openSearch('POST', '/_search', query)) as { hits: { hits: { _index: string }[] } }
    return found.hits.hits[0]?._index ?? assert.fail(`no index has the document of ${name}`)
  }
  const [shut, red] = [await indexOf('shut'), await indexOf('red')]
  for (const index of [shut, red]) await openSearch('POST', `/${index}/_close`)
  // Its only copy is not given to the only node.
  const recoveries = (max: number | null) =>
    openSearch('PUT', '/_cluster/settings', {
      transient: { 'cluster.routing.allocation.node_initial_primaries_recoveries': max },
    })
  await recoveries(0)
  await openSearch('POST', `/${red}/_open?wait_for_active_shards=0`)
  const [node] = service.nodes
  await node?.shutDown()
  await node?.start()

  const ask = async (name: string) => {
    const reply = await fetch(`${urlOf(0)}/4/mixed/api/${name}/e/all/count`)
    return { status: reply.status, again: reply.headers.get('retry-after'), body: await reply.text() }
  }
  assert.deepEqual([(await ask('whole')).status, (await ask('whole')).body], [200, '{"total":1}'])
  for (const [name, reason] of [
    ['shut', /is closed in OpenSearch, until an operator opens it/],
    ['red', /OpenSearch cannot answer now/],
  ] as const) {
    const refused = await ask(name)
    assert.deepEqual([refused.status, refused.again], [503, '1'], refused.body)
    assert.match(refused.body, reason)
    await assert.rejects(service.run(['import', 'mixed', name, '-'], { input: titled(name) }), reason)
  }
  // Logs come by another way than replies and the word that a node is ready.
  const isTold = () =>
    assert.match(node?.log() ?? '', /a generation cannot be opened[^"]*is closed in OpenSearch/)
  await t.waitFor(isTold, { timeout: 20_000 })
  const becomes = (name: string, total: number) =>
    t.waitFor(async () => assert.equal((await ask(name)).body, `{"total":${total}}`), { timeout: 10_000 })
  await recoveries(null)
  await openSearch('POST', '/_cluster/reroute')
  await becomes('red', 1)

  // What one cannot be opened for keeps no change from the others, and makes nobody take it for one that is not there.
  await service.run(['apply', '-'], { input: mixed(', batch: { type: keyword }') })
  await service.run(['import', 'mixed', 'whole', '-'], { input: titled('other') })
  await becomes('whole', 2)
  const kept = async () =>
    // As the contract has it.
    (await service.run(['generations', 'list', 'mixed', 'shut'])) as { id: string; state: string }[]
  assert.deepEqual(
    (await kept()).map(({ id, state }) => `${id} ${state}`),
    ['1 promoted'],
  )
  await service.run(['import', 'mixed', 'shut', '-', '--replace'], { input: titled('a') + titled('b') })
  await becomes('shut', 2)
  // One that cannot be opened does not take the place of one that can.
  const rollBack = () => service.run(['generations', 'rollback', 'mixed', 'shut'])
  await assert.rejects(rollBack(), /is closed in OpenSearch/)
  assert.deepEqual(
    (await kept()).map(({ id, state }) => `${id} ${state}`),
    ['2 promoted', '1 complete'],
  )
  await openSearch('POST', `/${shut}/_open`)
  await rollBack()
  await becomes('shut', 1)
})

test('a node with another key, or with documents of its own, is refused in one line', async () => {
  const otherKey = await service.attempt({
    environment: { QUERENT_KEY: randomBytes(32).toString('base64') },
  })
  assert.deepEqual([otherKey.code, otherKey.stderr.trimEnd().split('\n').length], [1, 1])
  assert.match(otherKey.stderr, /Give the same QUERENT_KEY/)
  const embedded = await service.attempt({ flags: ['--engine', 'embedded'] })
  assert.deepEqual([embedded.code, embedded.stderr.trimEnd().split('\n').length], [1, 1])
  assert.match(embedded.stderr, /another server uses this storage.*the same --engine/)
})

test('while OpenSearch is away an authorization node starts, and gives tokens; what needs documents is answered 503 until it is back', async t => {
  const { engine = '', authUrl } = service
  const { hostname, port } = new URL(engine)
  await using proxy = await startTcpProxy({ host: hostname, port: Number(port) })
  proxy.refuse()
  const away = proxy.through(engine)
  const query = await service.attempt({ only: 'query', engine: away })
  assert.deepEqual([query.code, query.stderr.trimEnd().split('\n').length], [1, 1])
  assert.match(query.stderr, /--engine http:/)

  const node = await service.add({ only: 'authorization', engine: away })
  const isSaid = () => assert.match(node.log(), /"reason":"--engine http:[^\n]*the engine cannot be reached/)
  await t.waitFor(isSaid, { timeout: 20_000 })
  const ask = async (path: string, init?: RequestInit) => {
    const reply = await fetch(`${node.authUrl}${path}`, init)
    return { status: reply.status, again: reply.headers.get('retry-after'), body: await reply.text() }
  }
  assert.equal((await ask('/readyz')).status, 200)
  // As its server writes it.
  const operator = JSON.parse(await readFile(join(node.data, 'operator.json'), 'utf8')) as {
    clientId: string
    clientSecret: string
  }
  const own = { authUrl: node.authUrl ?? '', audience: managementAudience(authUrl) }
  const token = await clientCredentials({ ...operator, ...own })()
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  assert.equal((await ask('/manage/v1/workspaces', { headers })).status, 200)
  const apply = () =>
    ask('/manage/v1/apply', {
      method: 'POST',
      headers,
      body: JSON.stringify({ source: shopWith('again') }),
    })
  const refused = await apply()
  assert.deepEqual([refused.status, refused.again], [503, '1'], refused.body)
  assert.match(refused.body, /"OpenSearch cannot be reached"/)
  proxy.pass()
  await t.waitFor(async () => assert.equal((await apply()).status, 200), { timeout: 20_000 })
  await node.shutDown()
})

test('an authorization node too is told at its start when who answers is no OpenSearch, or asks for a password', async t => {
  const other = createServer((_, reply) => void reply.writeHead(401).end()).listen(0, '127.0.0.1')
  t.after(() => other.close())
  await once(other, 'listening')
  // A listening TCP server has an AddressInfo.
  const { port } = other.address() as AddressInfo
  const ended = await service.attempt({ only: 'authorization', engine: `http://127.0.0.1:${port}` })
  assert.deepEqual([ended.code, ended.stderr.trimEnd().split('\n').length], [1, 1])
  assert.match(ended.stderr, /it asks for a name and a password: set QUERENT_ENGINE_USER/)
})
