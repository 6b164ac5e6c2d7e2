/** Start of a node next to other nodes, as an operator sees it. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { clientCredentials, managementAudience } from '@querent/client'
import { type OpenSearch, startOwnOpenSearch, startTestOpenSearch } from '#bench/peers/opensearch'
import { chooseRuns } from '#server/test-runs'
import { patienceMs } from '#server/test-wait'
import { type Nodes, startNodes } from '#tests/support/nodes'
import { fetchToken } from '#tests/support/started-server'
import { startTcpProxy } from '#tests/support/tcp-proxy'

/** A test that makes an index red changes cluster settings, and other files would find no copy of their shards meanwhile. */
const makesRed = chooseRuns(false, true)
let openSearchNode: OpenSearch | undefined
let service: Nodes
before(async () => {
  openSearchNode = await (makesRed ? startOwnOpenSearch : startTestOpenSearch)()
  service = await startNodes({
    nodes: [{}],
    engine: openSearchNode.url,
    flags: ['--engine-replicas', '0'],
  })
})
after(async () => {
  await service?.stop()
  await openSearchNode?.[Symbol.asyncDispose]()
})

const findQueryUrl = (index: number) =>
  service.nodes[index]?.queryUrl ?? assert.fail('it has no query service')

test('several nodes can start at the same moment, and a node that lost its data folder starts again', async () => {
  const [one] = await Promise.all([service.add(), service.add({ only: 'query' })])
  await one.shutDown()
  await rm(one.data, { recursive: true })
  await one.start()
})

/** A workspace file for documents with a title and a batch. `fields` adds more fields. */
const makeShop = (field?: string) => `
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

test('documents that one node imports are found by another node within a second, with the same ETag', async () => {
  await service.run(['apply', '-'], { input: makeShop() })
  await service.run(['import', 'shop', 'things', '-'], {
    input: '{"id":"https://a.example/1","title":"steel wing","batch":"one"}\n',
  })
  const ask = async (index: number) => {
    const reply = await fetch(`${findQueryUrl(index)}${shopPath}/count`)
    return { etag: reply.headers.get('etag'), body: await reply.json() }
  }
  const assertAgreement = async () => {
    const [one, ...others] = await Promise.all([0, 1, 2].map(ask))
    assert.deepEqual(one?.body, { total: 1 })
    for (const otherReply of others) assert.deepEqual(otherReply, one)
  }
  const startedAt = performance.now()
  // The test does not promise how long replies take on a busy machine.
  for (let isAgreed = false; !isAgreed; ) {
    const askedAt = performance.now()
    isAgreed = await assertAgreement().then(
      () => true,
      error => {
        if (askedAt - startedAt > 1000) throw error
        return false
      },
    )
  }
})

test('a field that is added at one node has its documents at another within a second, and is never visible without them', async () => {
  const management = await service.management()
  let appliedAt = Number.POSITIVE_INFINITY
  const options = async () => {
    for (;;) {
      const askedAt = performance.now()
      const reply = await fetch(`${findQueryUrl(2)}${shopPath}/options/batch`)
      const body = (await reply.json()) as { code?: string; options?: { value: string; count: number }[] }
      if (reply.status !== 400 || body.code !== 'unknown-endpoint') return { status: reply.status, body }
      assert.ok(askedAt - appliedAt < 1000, 'the definition of before')
    }
  }
  const optionsReply = options()
  await management.call('applyWorkspaceFile', { input: { source: makeShop('batch') } })
  appliedAt = performance.now()
  const { status, body } = await optionsReply
  assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual(
    body.options?.map(({ value, count }) => [value, count]),
    [['one', 1]],
  )
})

test('a node reports the progress of an import that another node receives', async t => {
  const account = await service.run(['s2s', 'create', 'shop', 'loader', '--role', 'data-provider'])
  // The contract's reply to `s2s create`.
  const token = await fetchToken(service, account as { clientId: string; clientSecret: string })
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' }
  const collectionPath = '/4/shop/collections/things'
  const lines = (count: number, from: number) =>
    Array.from(
      { length: count },
      (_, index) => `{"id":"https://a.example/${from + index}","title":"nut"}\n`,
    ).join('')
  const parts = [lines(1500, 10_000), lines(500, 20_000)]
  const { promise: seen, resolve: isSeen } = Promise.withResolvers<void>()
  const body = ReadableStream.from(
    (async function* () {
      yield Buffer.from(parts[0] ?? '')
      await seen
      yield Buffer.from(parts[1] ?? '')
    })(),
  )
  const address = `${findQueryUrl(0)}${collectionPath}/documents?import=nuts`
  const importing = fetch(address, { method: 'POST', headers, body, duplex: 'half' })
  const progress = async () =>
    (await fetch(`${findQueryUrl(2)}${collectionPath}/imports/nuts`, { headers })).json()
  const half = { state: 'running', bytes: parts[0]?.length, documents: 1000 }
  await t.waitFor(async () => assert.deepEqual(await progress(), half), {
    timeout: patienceMs,
    interval: 100,
  })
  isSeen()
  assert.equal((await importing).status, 200)
  assert.deepEqual(await progress(), { state: 'complete', bytes: parts.join('').length, documents: 2000 })
})

test('after a restart only collections with a closed or red index reply with 503, until the index recovers or is replaced', async t => {
  const names = ['whole', 'shut', ...(makesRed ? ['red'] : [])]
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
  const findIndex = async (name: string) => {
    const query = { query: { term: { id: `https://${name}.example/1` } } }
    // The format of OpenSearch.
    const searchReply = (await openSearch('POST', '/_search', query)) as {
      hits: { hits: { _index: string }[] }
    }
    return searchReply.hits.hits[0]?._index ?? assert.fail(`no index has the document of ${name}`)
  }
  const shut = await findIndex('shut')
  await openSearch('POST', `/${shut}/_close`)
  // With one node, this setting leaves the only copy unassigned.
  const setRecoveries = (max: number | null) =>
    openSearch('PUT', '/_cluster/settings', {
      transient: { 'cluster.routing.allocation.node_initial_primaries_recoveries': max },
    })
  if (makesRed) {
    const red = await findIndex('red')
    await openSearch('POST', `/${red}/_close`)
    await setRecoveries(0)
    await openSearch('POST', `/${red}/_open?wait_for_active_shards=0`)
  }
  const [node] = service.nodes
  await node?.shutDown()
  await node?.start()

  const ask = async (name: string) => {
    const reply = await fetch(`${findQueryUrl(0)}/4/mixed/api/${name}/e/all/count`)
    return { status: reply.status, retryAfter: reply.headers.get('retry-after'), body: await reply.text() }
  }
  assert.deepEqual([(await ask('whole')).status, (await ask('whole')).body], [200, '{"total":1}'])
  const reasons: Record<string, RegExp> = {
    shut: /is closed in OpenSearch; an operator must open it/,
    ...(makesRed && { red: /OpenSearch cannot answer now/ }),
  }
  for (const [name, reason] of Object.entries(reasons)) {
    const refusal = await ask(name)
    assert.deepEqual([refusal.status, refusal.retryAfter], [503, '1'], refusal.body)
    assert.match(refusal.body, reason)
    await assert.rejects(service.run(['import', 'mixed', name, '-'], { input: titled(name) }), reason)
  }
  // Logs arrive separately from replies and from the ready line.
  const assertLogged = () =>
    assert.match(node?.log() ?? '', /a collection is down[^"]*is closed in OpenSearch/)
  await t.waitFor(assertLogged, { timeout: patienceMs })
  const waitForCount = (name: string, total: number) =>
    t.waitFor(async () => assert.equal((await ask(name)).body, `{"total":${total}}`), { timeout: patienceMs })
  if (makesRed) {
    await setRecoveries(null)
    await openSearch('POST', '/_cluster/reroute')
    await waitForCount('red', 1)
  }

  // A broken collection does not block changes of others, and is not reported as missing.
  await service.run(['apply', '-'], { input: mixed(', batch: { type: keyword }') })
  await service.run(['import', 'mixed', 'whole', '-'], { input: titled('other') })
  await waitForCount('whole', 2)
  const listGenerations = async () =>
    // The contract's format.
    (await service.run(['generations', 'list', 'mixed', 'shut'])) as { id: string; state: string }[]
  assert.deepEqual(
    (await listGenerations()).map(({ id, state }) => `${id} ${state}`),
    ['1 promoted'],
  )
  await service.run(['import', 'mixed', 'shut', '-', '--replace'], { input: titled('a') + titled('b') })
  await waitForCount('shut', 2)
  // A generation that cannot be opened does not replace one that can.
  const rollBack = () => service.run(['generations', 'rollback', 'mixed', 'shut'])
  await assert.rejects(rollBack(), /is closed in OpenSearch/)
  assert.deepEqual(
    (await listGenerations()).map(({ id, state }) => `${id} ${state}`),
    ['2 promoted', '1 complete'],
  )
  await openSearch('POST', `/${shut}/_open`)
  await rollBack()
  await waitForCount('shut', 1)
})

test('a node with a different key, or with the embedded engine, fails to start with one line', async () => {
  const otherKeyResult = await service.attemptStart({
    environment: { QUERENT_KEY: randomBytes(32).toString('base64') },
  })
  assert.deepEqual([otherKeyResult.code, otherKeyResult.stderr.trimEnd().split('\n').length], [1, 1])
  assert.match(otherKeyResult.stderr, /Set the same QUERENT_KEY/)
  const embedded = await service.attemptStart({ flags: ['--engine', 'embedded'] })
  assert.deepEqual([embedded.code, embedded.stderr.trimEnd().split('\n').length], [1, 1])
  assert.match(embedded.stderr, /another server uses this storage.*the same --engine/)
})

test('while OpenSearch is away, an authorization node starts and issues tokens, and operations that need documents get 503', async t => {
  const { engine = '', authUrl } = service
  const { hostname, port } = new URL(engine)
  await using proxy = await startTcpProxy({ host: hostname, port: Number(port) })
  proxy.refuse()
  const away = proxy.rewriteUrl(engine)
  const query = await service.attemptStart({ only: 'query', engine: away })
  assert.deepEqual([query.code, query.stderr.trimEnd().split('\n').length], [1, 1])
  assert.match(query.stderr, /--engine http:/)

  const node = await service.add({ only: 'authorization', engine: away })
  const assertLogged = () =>
    assert.match(node.log(), /"reason":"--engine http:[^\n]*the engine cannot be reached/)
  await t.waitFor(assertLogged, { timeout: patienceMs })
  const ask = async (path: string, init?: RequestInit) => {
    const reply = await fetch(`${node.authUrl}${path}`, init)
    return { status: reply.status, retryAfter: reply.headers.get('retry-after'), body: await reply.text() }
  }
  assert.equal((await ask('/readyz')).status, 200)
  // The server writes this format.
  const operator = JSON.parse(await readFile(join(node.data, 'operator.json'), 'utf8')) as {
    clientId: string
    clientSecret: string
  }
  const operatorAudience = { authUrl: node.authUrl ?? '', audience: managementAudience(authUrl) }
  const token = await clientCredentials({ ...operator, ...operatorAudience })()
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  assert.equal((await ask('/manage/v1/workspaces', { headers })).status, 200)
  const apply = () =>
    ask('/manage/v1/apply', {
      method: 'POST',
      headers,
      body: JSON.stringify({ source: makeShop('again') }),
    })
  const refusal = await apply()
  assert.deepEqual([refusal.status, refusal.retryAfter], [503, '1'], refusal.body)
  assert.match(refusal.body, /"OpenSearch cannot be reached"/)
  proxy.pass()
  await t.waitFor(async () => assert.equal((await apply()).status, 200), { timeout: patienceMs })
  await node.shutDown()
})

test('an authorization node reports at its start if the engine address is not OpenSearch, or needs a password', async t => {
  const passwordServer = createServer((_, reply) => void reply.writeHead(401).end()).listen(0, '127.0.0.1')
  t.after(() => passwordServer.close())
  await once(passwordServer, 'listening')
  // A listening TCP server has an AddressInfo.
  const { port } = passwordServer.address() as AddressInfo
  const result = await service.attemptStart({ only: 'authorization', engine: `http://127.0.0.1:${port}` })
  assert.deepEqual([result.code, result.stderr.trimEnd().split('\n').length], [1, 1])
  assert.match(result.stderr, /it requires a user name and password: set QUERENT_ENGINE_USER/)
})
