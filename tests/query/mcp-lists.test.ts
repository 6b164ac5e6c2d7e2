/** Lists of tools and resources of large APIs: they grow with the definition, not with its square, and come in pages. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as EarlierClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as EarlierTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { type StartedServer, startServer } from '#tests/support/started-server'

const title = 'x'.repeat(95)
const times = (count: number, write: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => write(index)).join('\n')
const definition = (workspace: string, facets: number, others: number, collections = 1) => `
workspace: ${workspace}
collections:
${times(collections, index => `  docs${index}: { fields: { title: { type: text }, section: { type: keyword }, year: { type: number } } }`)}
apis:
  main:
    access: public
    endpoints:
${times(facets, index => `      f${index}: { kind: facet, field: section, title: "${title}" }`)}
${times(others, index => `      e${index}: { kind: match, collection: docs${index % collections} }`)}
${times(collections, index => `      all${index}: { kind: all, collection: docs${index} }`)}
      newest: { kind: sort, field: year, order: descending }
`

let server: StartedServer
before(async () => {
  server = await startServer()
  for (const [workspace, facets, others, collections] of [
    ['honest', 60, 60, 1],
    ['large', 500, 497, 1],
    ['half', 250, 248, 1],
    ['wide', 400, 0, 20],
  ] as const)
    await server.applyWorkspace(definition(workspace, facets, others, collections))
  const documents = [
    { id: '1', title: 'river', section: 'a', year: 2001 },
    { id: '2', title: 'river', section: 'b', year: 2002 },
  ]
  await server.importDocuments(
    'honest',
    'docs0',
    documents.map(document => JSON.stringify(document)).join('\n'),
  )
})
after(() => server?.stop())

const url = (workspace: string) => new URL(`${server.baseUrl}/4/${workspace}/api/main/mcp`)
const send = async (workspace: string, method: string, params: object) => {
  const reply = await fetch(url(workspace), {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const text = await reply.text()
  return { length: text.length, body: JSON.parse(text) }
}
/** Reads all pages. */
const readList = async (workspace: string, kind: 'tools' | 'resources') => {
  let cursor: string | undefined
  const pages: { length: number; items: { name: string }[] }[] = []
  do {
    const { length, body } = await send(workspace, `${kind}/list`, cursor === undefined ? {} : { cursor })
    pages.push({ length, items: body.result[kind] })
    cursor = body.result.nextCursor
  } while (cursor !== undefined)
  const items = pages.flatMap(page => page.items)
  return { pages, items, length: pages.reduce((sum, page) => sum + page.length, 0) }
}

test('the list of tools grows with the definition, and each page has a limited size', async () => {
  const [half, large] = await Promise.all(['half', 'large'].map(workspace => readList(workspace, 'tools')))
  assert.ok(half && large)
  assert.equal(large.items.length, 999)
  assert.equal(new Set(large.items.map(({ name }) => name)).size, 999)
  assert.ok(large.length < 2.2 * half.length, `${half.length} and ${large.length} characters`)
  for (const { length } of large.pages) assert.ok(length < 140 * 1024, `a page of ${length} characters`)
})

test('resources are listed in pages too, up to 1,000, and the others can be read', async () => {
  const { items, pages } = await readList('wide', 'resources')
  assert.equal(items.length, 1000)
  for (const { length } of pages) assert.ok(length < 140 * 1024, `a page of ${length} characters`)
  const uri = 'querent://collections/docs19/facets/f399'
  const { body } = await send('wide', 'resources/read', { uri })
  assert.equal(body.result.contents[0].uri, uri)
})

test('a cursor that no page has is a wrong parameter', async () => {
  for (const method of ['tools/list', 'resources/list'])
    for (const cursor of ['', '0', '1', '-1', 'x', '9'.repeat(1000)]) {
      const { body } = await send('large', method, { cursor })
      assert.equal(body.error.code, -32602, `${method} ${cursor.slice(0, 10)}`)
    }
})

const connect = async (workspace: string) => {
  const client = new Client({ name: 'tests', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(url(workspace)))
  const earlier = new EarlierClient({ name: 'tests', version: '1' })
  const transport = new EarlierTransport(url(workspace))
  // Its types don't allow for `exactOptionalPropertyTypes`.
  await earlier.connect(transport as Parameters<EarlierClient['connect']>[0])
  // The methods have the same names and replies.
  return [client, earlier as unknown as Client]
}

test('a model can use an API with 60 facets and 60 other endpoints: a short list, and the names in one place', async () => {
  for (const client of await connect('honest')) {
    const { tools } = await client.listTools()
    assert.equal(tools.length, 122)
    assert.ok(JSON.stringify(tools).length < 100_000)
    const match = tools.find(({ name }) => name === 'e0')
    assert.deepEqual(Object.keys(match?.inputSchema.properties ?? {}), [
      'query',
      'count',
      'offset',
      'filters',
      'sort',
      'facets',
    ])
    assert.match(client.getInstructions() ?? '', /Facets of docs0: f0, f1, .*Sorts: newest\./)
    const [names] = (await client.readResource({ uri: 'querent://collections/docs0/facets' })).contents
    const { facets, sorts } = JSON.parse(names && 'text' in names ? names.text : '')
    assert.deepEqual(
      [facets.length, facets[59], sorts],
      [60, { name: 'f59', title }, [{ name: 'newest', title: 'newest' }]],
    )
    const { structuredContent } = await client.callTool({
      name: 'e0',
      arguments: { query: 'river', filters: { f59: ['b'] }, sort: 'newest', facets: ['f3'] },
    })
    const { total, facets: counted } = structuredContent as { total: number; facets: object }
    assert.deepEqual([total, Object.keys(counted)], [1, ['f3']])
    const wrong = await client.callTool({
      name: 'e0',
      arguments: { query: 'river', filters: { nope: ['b'] } },
    })
    assert.equal(wrong.isError, true)
    await client.close()
  }
})

test('an official client reads all pages', async () => {
  const [client, earlier] = await connect('large')
  assert.equal((await client?.listTools())?.tools.length, 999)
  const { tools, nextCursor } = (await earlier?.listTools()) ?? {}
  assert.ok(tools && tools.length > 50 && nextCursor !== undefined)
  await client?.close()
  await earlier?.close()
})
