/** OpenSearch as the engine: what every engine promises, and the same plans to both engines. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { startTestOpenSearch } from '#bench/peers/opensearch'
import { openEmbeddedEngine } from '#server/engines/embedded'
import type { Engine } from '#server/engines/engine'
import { engineSuite } from '#server/engines/engine.suite'
import { all, deadlineMs, filter, library, planOf, put, withCode } from '#server/engines/engine.suite.plans'
import { openOpenSearchEngine } from '#server/engines/opensearch/opensearch'
import { type GenerationVersions, versionsInMemory } from '#server/engines/opensearch/versions'
import { agree } from './engines-differential.ts'
import { books, makeLibrary } from './library.ts'
import { querent, startServer } from './started-server.ts'

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
  { roundsSums: true, otherForms: { swedish: ['Husen'] } },
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
  agree(
    () => embedded,
    () => sharded,
  )
})

test('a server keeps documents in OpenSearch, over a restart and a change of fields', async () => {
  const server = await startServer([
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
      await server.run(['apply', file])
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

test('a backup of documents in OpenSearch comes back there, under another prefix; the doctor finds the engine well', async () => {
  const server = await startServer([
    '--engine',
    node.url,
    '--engine-prefix',
    'kept-',
    '--engine-replicas',
    '0',
  ])
  const engineOf = (prefix: string) => ({
    QUERENT_ENGINE: node.url,
    QUERENT_ENGINE_PREFIX: prefix,
    QUERENT_ENGINE_REPLICAS: '0',
  })
  const countOf = async () =>
    (await fetch(`${server.baseUrl}/4/library/api/open/e/all/count`)).json() as Promise<{ total: number }>
  const engineCheck = async () => {
    const ran = await querent(['doctor', '--data', server.data, '--json'])
    const { checks } = JSON.parse(ran.stdout) as {
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
    // Where its documents are already, nothing is mixed with them.
    const refused = await querent(['restore', file, '--data', data, '--json'], { env: engineOf('kept-') })
    assert.match(refused.stderr, /has documents of this backup already/)
    const { stdout, stderr } = await querent(['restore', file, '--data', data, '--json'], {
      env: engineOf('other-'),
    })
    assert.equal(JSON.parse(stdout).documents, books.length, stderr)
    await rm(server.data, { recursive: true })
    await rename(data, server.data)
    Object.assign(process.env, engineOf('other-'))
    await server.restart()
    assert.deepEqual(await countOf(), { total: books.length })
  } finally {
    for (const name of Object.keys(engineOf(''))) delete process.env[name]
    await server.stop()
  }
})

test('nodes share generations: what one makes searchable all find, under one version; what one drops is gone', async () => {
  const [prefix, versions] = [newPrefix(), versionsInMemory()]
  const nodes = await Promise.all([open(1, prefix, versions), open(1, prefix, versions)])
  const [one, other] = nodes
  assert.ok(one && other)
  try {
    await Promise.all(nodes.map(engine => engine.open('g', library)))
    await one.write('g', [put('a', { tag: 'x' }), put('b', { tag: 'y' })])
    await one.refresh('g')
    assert.deepEqual(other.info('g'), one.info('g'))
    assert.equal(other.info('g').documents, 2)
    const { total } = await other.search('g', planOf([all]), deadlineMs)
    assert.equal(total, 2)
    const { version } = one.info('g')
    assert.equal(await other.deleteMatching('g', planOf([filter('tag', ['x'])])), 1)
    await other.refresh('g')
    assert.ok(one.version('g') > version)
    assert.equal(one.info('g').documents, 1)
    // Both build it again for other fields, at the same time.
    const spec = { fields: [...library.fields, { name: 'shelf', type: 'keyword' as const }], synonyms: [] }
    await Promise.all(nodes.map(engine => engine.open('g', spec)))
    for (const engine of nodes) assert.equal((await engine.search('g', planOf([all]), deadlineMs)).total, 1)
    await one.drop('g')
    await assert.rejects(other.search('g', planOf([all]), deadlineMs), withCode('unavailable'))
    await assert.rejects(other.write('g', [put('c', {})]), withCode('unavailable'))
  } finally {
    await one.close()
    // Its generation is gone.
    await other.close().catch(() => {})
  }
})

test('a full disk, a blocked index and one that somebody deleted are each told, and pass', async () => {
  const prefix = newPrefix()
  const engine = await open(1, prefix)
  try {
    await engine.open('g', library)
    const block = (name: string, isSet: boolean | null) =>
      node.call('PUT', `/${prefix}g/_settings`, JSON.stringify({ [`index.blocks.${name}`]: isSet }))
    const refused = (call: Promise<unknown>, message: RegExp) =>
      assert.rejects(call, (error: unknown) => withCode('unavailable')(error) && message.test(String(error)))
    // What OpenSearch sets itself when a disk has nearly no room.
    await block('read_only_allow_delete', true)
    await refused(engine.write('g', [put('a', {})]), /disks of OpenSearch are too full/)
    await block('read_only_allow_delete', null)
    await block('write', true)
    await refused(engine.write('g', [put('a', {})]), /an operator has blocked its index/)
    await block('write', null)
    await engine.write('g', [put('a', {})])
    await engine.refresh('g')
    assert.equal((await engine.search('g', planOf([all]), deadlineMs)).total, 1)
    const [index = ''] = Object.keys((await node.call('GET', `/${prefix}g`)) as object)
    await node.call('DELETE', `/${index}`)
    await refused(
      engine.search('g', planOf([all]), deadlineMs),
      /index of this generation is not in OpenSearch/,
    )
    await refused(engine.write('g', [put('b', {})]), /index of this generation is not in OpenSearch/)
    await engine.release('g')
    await engine.open('g', library)
    await engine.write('g', [put('b', {})])
    await engine.refresh('g')
    assert.equal(engine.info('g').documents, 1)
  } finally {
    await engine.close()
  }
})
