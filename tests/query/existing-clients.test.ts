/** Requests of existing clients of this kind of service (query-service.md, Aliases and Query parameters). */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Library, makeLibrary } from '#tests/support/library'
import { type StartedServer, startServer } from '#tests/support/started-server'

let server: StartedServer
let library: Library
before(async () => {
  server = await startServer()
  library = await makeLibrary(server)
})
after(() => server.stop())

const read = async (path: string): Promise<unknown> => {
  const reply = await library.get(`library/${path}`)
  assert.equal(reply.status, 200, path)
  return reply.json()
}

test('q/{endpoint} works like e/{endpoint} anywhere in a stack', async () => {
  for (const rest of ['results', 'count', 'results,count', 'options/genre'])
    assert.deepEqual(
      await read(`q/search/p/query/golden/e/genre:FILTER/p/value/drama/q/available/${rest}`),
      await read(`e/search/p/query/golden/e/genre:FILTER/p/value/drama/e/available/${rest}`),
    )
})

test('endpoint and parameter work like e and p', async () => {
  assert.deepEqual(
    await read('endpoint/search/parameter/query/golden/e/genre:FILTER/parameter/value/drama/results'),
    await read('e/search/p/query/golden/e/genre:FILTER/p/value/drama/results'),
  )
})

test('a context parameter goes to each endpoint that has it, and a header names one that none has', async () => {
  const expected = await read('e/search/p/query/golden/e/genre:FILTER/p/value/drama/results')
  for (const path of [
    'c/query/golden/c/value/drama/e/search/e/genre:FILTER/results',
    'e/search/c/value/drama/e/genre:FILTER/c/query/golden/results',
    'e/search/p/query/golden/e/genre:FILTER/p/value/drama/c/query/other/results',
  ])
    assert.deepEqual(await read(path), expected, path)
  assert.deepEqual(
    await read('c/query/golden/e/search/options/genre'),
    await read('e/search/p/query/golden/options/genre'),
  )
  const reply = await library.get('library/c/locale/en-US/e/search/c/channel/shop/p/query/golden/results?x=1')
  assert.equal(reply.status, 200)
  assert.equal(reply.headers.get('querent-ignored-parameters'), '"x", "locale", "channel"')
  const etag = reply.headers.get('etag') ?? ''
  const repeatedReply = await library.get(
    'library/c/locale/en-US/e/search/c/channel/shop/p/query/golden/results?x=1',
    { headers: { 'if-none-match': etag } },
  )
  assert.equal(repeatedReply.status, 304)
  assert.equal(repeatedReply.headers.get('querent-ignored-parameters'), '"x", "locale", "channel"')
  const repeated = await library.get('library/c/query/a/c/query/a/e/search/results')
  assert.equal(repeated.status, 400)
})

test('each option finds its documents as 1(<value>), alone and in a list', async () => {
  const genres = [
    'Greek, islands',
    'Smith, John,',
    'Rock (UK)',
    '7" single',
    'a|b',
    '"a"',
    '"a',
    'x)',
    ')|x(',
    '1(x)',
    'f(x)',
    'a,',
    ',',
    '()',
    '\\"',
    ' a ',
    '',
  ]
  await server.applyWorkspace(`
workspace: shop
collections: { things: { fields: { genre: { type: keyword } } } }
apis:
  main:
    access: public
    endpoints: { all: { kind: all, collection: things }, genre: { kind: facet, field: genre } }
`)
  await server.importDocuments(
    'shop',
    'things',
    genres.map((genre, id) => ({ id: String(id), genre })),
  )
  const api = `${server.baseUrl}/4/shop/api/main/e/all`
  const fetchJson = async (path: string) => (await fetch(`${api}/${path}`)).json()
  // The JSON reply of `options`.
  const { options } = (await fetchJson('options/genre?count=100')) as {
    options: { value: string; count: number }[]
  }
  assert.equal(options.length, genres.length)
  for (const { value, count } of options) {
    const lists = value.startsWith('"') ? [] : [`1(${value})|1(no)`, `0.5(no)|1(${value})`]
    for (const list of [`1(${value})`, ...lists]) {
      // The JSON reply of `count`.
      const { total } = (await fetchJson(`e/genre:FILTER/p/value/${encodeURIComponent(list)}/count`)) as {
        total: number
      }
      assert.ok(total >= count, list)
    }
  }
})

test('swagger.json is the document of openapi.json', async () => {
  assert.deepEqual(await read('swagger.json'), await read('openapi.json'))
})

test('a page has up to 1,000 items', async () => {
  // The JSON reply of `results`.
  const { count, items } = (await read('e/all/results?count=1000')) as { count: number; items: unknown[] }
  assert.deepEqual([count, items.length], [1000, 200])
})

test('query keeps the options with a word that starts with the text, and leaves the selected ones', async () => {
  const find = async (path: string) => {
    // The JSON reply of `options`.
    const { options, selected } = (await read(path)) as Record<'options' | 'selected', { title: string }[]>
    return [options.map(({ title }) => title).sort(), selected.map(({ title }) => title)]
  }
  assert.deepEqual(await find('options/genre?query=ETE'), [['été'], []])
  assert.deepEqual(await find('options/genre?query=mod'), [['history/modern'], []])
  assert.deepEqual(await find('e/all/options/genre?query=ern'), [[], []])
  assert.deepEqual(await find('e/genre:FILTER/p/value/drama/options/genre?query=com&multiselect=true'), [
    ['comedy'],
    ['drama'],
  ])
  const twice = await library.get('library/options/genre?query=a&query=b')
  assert.equal(twice.status, 400)
})
