/** Claims of docs/coming-from.md about Querent, a few in each test. Other tests cover collapse, area, cursor, curation, boosts and row filters. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type StartedServer, startServer } from '#tests/support/started-server'

const root = join(import.meta.dirname, '..', '..')
const page = readFileSync(join(root, 'docs', 'coming-from.md'), 'utf8')
const workspace = 'coming-from'
const definition = {
  workspace,
  collections: {
    songs: {
      language: 'english',
      fields: {
        title: { type: 'text', suggest: true, weight: 3 },
        notes: { type: 'text' },
        genre: { type: 'keyword' },
        years: { type: 'number' },
        live: { type: 'boolean' },
        places: { type: 'geo' },
        released: { type: 'date' },
      },
      synonyms: [['television', 'tv'], { from: ['js'], to: ['javascript'] }],
    },
  },
  apis: {
    songs: {
      access: 'public',
      endpoints: {
        search: { kind: 'match', collection: 'songs' },
        every: { kind: 'match', collection: 'songs', matching: 'all' },
        box: { kind: 'match', collection: 'songs', matching: 'relaxed', prefix: true, typos: true },
        inside: { kind: 'match', collection: 'songs', contains: true },
        genre: { kind: 'facet', field: 'genre' },
        years: { kind: 'range', field: 'years' },
        live: { kind: 'filter', field: 'live' },
        released: { kind: 'range', field: 'released' },
        known: { kind: 'filter', field: 'genre', present: true },
      },
    },
  },
}
const documents = [
  { id: 'a', title: 'Wi-Fi nights', genre: ['Rock', 'Pop'], years: [1999, 2024], live: [true, false] },
  { id: 'b', title: 'The C++ song', genre: 'Metal', released: ['2001-02-03', '2011-02-03'] },
  { id: 'c', title: 'Television', notes: 'nights nights nights, nights of wine', places: ['52,4', '51,5'] },
  { id: 'd', title: 'Waterproof JavaScript', genre: 'Rock' },
]

let server: StartedServer
before(async () => {
  server = await startServer()
  await server.applyWorkspace(JSON.stringify(definition))
  await server.importDocuments(workspace, 'songs', documents)
})
after(() => server.stop())

interface Reply {
  items: { tuple: [{ id: string; attributes: object }] }[]
  options: { value: string; count: number }[]
  relaxed?: string[]
  total: number
}
const get = async (path: string): Promise<Reply> => {
  const response = await fetch(`${server.baseUrl}/4/${workspace}/api/songs/${path}`)
  assert.equal(response.status, 200, path)
  return (await response.json()) as Reply
}
const find = async (path: string): Promise<string> =>
  (await get(`e/${path}/results`)).items
    .map(({ tuple: [{ id }] }) => id.slice(id.lastIndexOf(':') + 1))
    .sort()
    .join(' ')

/** The names of properties and the constants of a JSON Schema. */
const readNames = (schema: unknown, names: Set<string>): void => {
  if (typeof schema !== 'object' || schema === null) return
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'properties') for (const name of Object.keys(value)) names.add(name)
    if (key === 'const') names.add(String(value))
    readNames(value, names)
  }
}

test('each name of Querent on the page exists', () => {
  const file = join(root, 'packages', 'contract', 'workspace-file.schema.json')
  const names = new Set(
    'NAME FILTER true count offset highlight cursor batch options results create POST PATCH querent import backup new facet wi fi wifi C'.split(
      ' ',
    ),
  )
  readNames(JSON.parse(readFileSync(file, 'utf8')), names)
  const tables = page.slice(0, page.indexOf('## Auth0')).split('\n')
  const cells = tables
    .filter(line => line.startsWith('| ') && !line.startsWith('| -'))
    .map(line => line.split(' | ').at(-1) ?? '')
  const ours = cells.flatMap(cell => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name))
  const words = ours
    .filter(name => !name.startsWith('GET '))
    .flatMap(name => name.split(/[^a-zA-Z]+/).filter(Boolean))
  assert.deepEqual(
    words.filter(word => !names.has(word)),
    [],
  )
})

test('Algolia: values of one field are alternatives, and options are searched', async () => {
  assert.equal(await find('genre:FILTER/p/value/1(Pop)|1(Metal)'), 'a b')
  const { options } = await get('options/genre?query=ro')
  assert.deepEqual(
    options.map(({ value, count }) => [value, count]),
    [['Rock', 2]],
  )
})

test('Algolia: weights are no strict order of attributes, and quotes and hyphens work in every match', async () => {
  assert.equal(await find('search/p/query/nights'), 'a c')
  assert.equal(await find('search/p/query/nights -wine'), 'a')
  assert.equal(await find('search/p/query/"nights of wine"'), 'c')
})

test('Algolia and Typesense: relaxed names the dropped words, and synonyms may be one-way', async () => {
  const reply = await get('e/box/p/query/television zebra/results')
  assert.deepEqual([reply.items.length, reply.relaxed], [1, ['zebra']])
  assert.equal(await find('every/p/query/tv'), 'c')
  assert.equal(await find('every/p/query/js'), 'd')
})

test('Elasticsearch: documents are found as soon as their import is answered, and the present ones too', async () => {
  await server.importDocuments(workspace, 'songs', [{ id: 'e', title: 'Brand new' }])
  assert.equal(await find('every/p/query/brand new'), 'e')
  assert.equal(await find('known'), 'a b d')
})

test('Meilisearch: any word matches by default, and filters compare whole values with case and accents', async () => {
  assert.equal(await find('search/p/query/television waterproof'), 'c d')
  assert.equal(await find('genre:FILTER/p/value/Rock'), 'a d')
  assert.equal(await find('genre:FILTER/p/value/rock'), '')
  assert.equal(await find('genre:FILTER/p/value/Röck'), '')
})

test('Typesense: every type takes lists, words join and split, symbols count, and contains is infix', async () => {
  assert.equal(await find('years/p/from/2024'), 'a')
  assert.equal(await find('live/p/value/false'), 'a')
  assert.equal(await find('released/p/from/2011-01-01'), 'b')
  for (const text of ['wifi', 'wi fi', 'wi-fi']) assert.equal(await find(`every/p/query/${text}`), 'a')
  assert.equal(await find('every/p/query/c%2B%2B'), 'b')
  assert.equal(await find('every/p/query/proof'), '')
  assert.equal(await find('inside/p/query/proof'), 'd')
})

test('Azure: totals are exact, and a page has the attributes that it asks for', async () => {
  const path = 'e/search/p/query/nights/results,count?count=1&attributes=genre'
  const [{ items }, { total }] = (await get(path)) as unknown as [Reply, Reply]
  assert.deepEqual([items.length, total], [1, 2])
  assert.deepEqual(Object.keys(items[0]?.tuple[0].attributes ?? {}), ['genre'])
})
