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
