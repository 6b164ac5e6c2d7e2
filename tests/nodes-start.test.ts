/** What a node needs to start beside others, as its operator sees it. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { after, before, type TestContext, test } from 'node:test'
import { type Nodes, startNodes } from './nodes.ts'
import { fetchToken } from './started-server.ts'

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

test('documents that come in by one node are found by another within a second, under the same ETag', async (t: TestContext) => {
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
  await t.waitFor(agree, { timeout: 1000, interval: 50 })
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
