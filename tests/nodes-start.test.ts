/** What a node needs to start beside others, as its operator sees it. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { type OpenSearch, startOpenSearch } from '#bench/peers/opensearch'
import { type Nodes, startNodes } from './nodes.ts'

let openSearch: OpenSearch
let service: Nodes
before(async () => {
  openSearch = await startOpenSearch([0, 1])
  service = await startNodes({
    nodes: [{}],
    engine: openSearch.url,
    flags: ['--engine-replicas', '0'],
  })
})
after(async () => {
  await service.stop()
  await openSearch[Symbol.asyncDispose]()
})

const urlOf = (at: number) => service.nodes[at]?.queryUrl ?? assert.fail('it has no query service')

test('nodes start at the same moment beside another, and one whose data folder was thrown away starts again', async () => {
  const [one] = await Promise.all([service.add(), service.add({ only: 'query' })])
  await one.shutDown()
  await rm(one.data, { recursive: true })
  await one.start()
})

test('documents that come in by one node are found by another within a second, under the same ETag', async (t: TestContext) => {
  const [first] = service.nodes
  assert.ok(first)
  const file = join(first.data, 'shop.yaml')
  await writeFile(
    file,
    `workspace: shop
collections:
  things: { language: english, fields: { title: { type: text } } }
apis:
  shop:
    access: public
    endpoints: { search: { kind: match, collection: things, fields: [title] } }
`,
  )
  await service.run(['apply', file])
  const lines = join(first.data, 'things.ndjson')
  await writeFile(lines, '{"id":"https://a.example/1","title":"steel wing"}\n')
  await service.run(['import', 'shop', 'things', lines])
  const ask = async (at: number) => {
    const reply = await fetch(`${urlOf(at)}/4/shop/api/shop/e/search/p/query/wings/count`)
    return { etag: reply.headers.get('etag'), body: await reply.json() }
  }
  const agree = async () => {
    const [one, ...others] = await Promise.all([0, 1, 2].map(ask))
    assert.deepEqual(one?.body, { total: 1 })
    for (const other of others) assert.deepEqual(other, one)
  }
  await t.waitFor(agree, { timeout: 1000, interval: 50 })
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
