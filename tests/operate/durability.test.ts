/** Acknowledged documents are durable and searchable, even if the server is killed without warning. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { after, before, test } from 'node:test'
import { bookUri, type Library, makeLibrary } from '#tests/support/library'
import { fetchToken, type ServerProcess, startServerProcess } from '#tests/support/started-server'

let server: ServerProcess
let library: Library
let loader: string
before(async () => {
  server = await startServerProcess()
  library = await makeLibrary(server)
  const account = (await server.run(['s2s', 'create', 'library', 'loader', '--role', 'data-provider'])) as {
    clientId: string
    clientSecret: string
  }
  loader = await fetchToken(server, account)
})
after(() => server.stop())

const documents = () => `${server.baseUrl}/4/library/collections/books/documents`
const line = (id: string, title: string) => `${JSON.stringify({ id, title, genre: ['new'], pages: 1 })}\n`
const post = (body: string, query = '') =>
  fetch(`${documents()}${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${loader}`, 'content-type': 'application/x-ndjson' },
    body,
  })
const total = async (path: string): Promise<number> => {
  const reply = await library.get(path)
  assert.equal(reply.status, 200)
  // The contract's reply to a count.
  const { total } = (await reply.json()) as { total: number }
  return total
}

test('acknowledged documents are searchable, without duplicates, after kill -9 during another import', async () => {
  const acknowledged = Array.from({ length: 3000 }, (_, index) => `kept-${index}`)
  const reply = await post(acknowledged.map(id => line(id, 'durable pledge')).join(''))
  assert.deepEqual(await reply.json(), {
    accepted: 3000,
    documents: 3000,
    replaced: 0,
    rejected: 0,
    errors: [],
  })

  const cut = request(documents(), {
    method: 'POST',
    headers: { authorization: `Bearer ${loader}`, 'content-type': 'application/x-ndjson' },
  })
  cut.on('error', () => {})
  let sentCount = 0
  while (sentCount < 20_000) {
    const chunk = Array.from({ length: 1000 }, (_, index) =>
      line(`cut-${sentCount + index}`, 'broken vessel'),
    ).join('')
    if (!cut.write(chunk)) await once(cut, 'drain')
    sentCount += 1000
  }
  await server.kill()
  await server.restart()

  assert.equal(await total('library/e/search/p/query/pledge/count'), 3000)
  for (const id of ['kept-0', 'kept-1500', 'kept-2999'])
    assert.equal(await total(`library/e/book/p/id/${encodeURIComponent(bookUri(id))}/count`), 1)
  const foundCount = await total('library/e/search/p/query/vessel/count')
  assert.ok(foundCount <= sentCount)
  assert.equal(await total('library/e/genre:FILTER/p/value/new/count'), 3000 + foundCount)
})

test('an import reports rejected lines with number and reason, and continues with the rest', async () => {
  const reply = await post(
    `${line('good-1', 'fine')}not json\n{"title":"no id"}\n\n{"id":"bad","pages":"many"}\r\n${line('good-2', 'fine')}`,
  )
  assert.equal(reply.status, 200)
  const body = (await reply.json()) as {
    accepted: number
    rejected: number
    errors: { line: number; message: string }[]
  }
  assert.deepEqual([body.accepted, body.rejected], [2, 3])
  assert.deepEqual(
    body.errors.map(error => error.line),
    [2, 3, 5],
  )
  assert.match(body.errors[2]?.message ?? '', /pages.*number/)
})

test('an import without an accepted document gets 400 with the reason', async () => {
  const reply = await post('not json\n')
  assert.equal(reply.status, 400)
  const body = (await reply.json()) as { accepted: number; code: string; errors: { line: number }[] }
  assert.deepEqual([body.accepted, body.code, body.errors[0]?.line], [0, 'bad-documents', 1])
})

test('a reader may not import documents, and a data provider may not read them', async () => {
  const asQuerier = await fetch(documents(), {
    method: 'POST',
    headers: { authorization: `Bearer ${library.token}`, 'content-type': 'application/x-ndjson' },
    body: line('x', 'y'),
  })
  assert.equal(asQuerier.status, 403)
  const reading = await fetch(documents(), { headers: { authorization: `Bearer ${loader}` } })
  assert.equal(reading.status, 403)
})

test('a data-provider puts one document, which is found at once, and deletes it by its id alone', async () => {
  const sendDocument = (method: string, body?: string) =>
    fetch(`${documents()}/${encodeURIComponent(bookUri('single/one'))}`, {
      method,
      headers: {
        authorization: `Bearer ${loader}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body }),
    })
  assert.equal(
    (await sendDocument('PUT', JSON.stringify({ title: 'solitary', genre: [], pages: 3 }))).status,
    200,
  )
  assert.equal(await total('library/e/search/p/query/solitary/count'), 1)
  assert.equal(
    (await fetch(documents(), { method: 'DELETE', headers: { authorization: `Bearer ${loader}` } })).status,
    403,
  )
  assert.equal(await total('library/e/search/p/query/solitary/count'), 1)
  assert.equal((await sendDocument('DELETE')).status, 204)
  assert.equal(await total('library/e/search/p/query/solitary/count'), 0)
})

test('a replaced collection switches atomically while queries run', async () => {
  const totalBefore = await total('library/e/all/count')
  const sizes = new Set<number>()
  let replaced = false
  const watching = (async () => {
    while (!replaced) sizes.add(await total('library/e/all/count'))
  })()
  const reply = await post(
    Array.from({ length: 5000 }, (_, index) => line(`new-${index}`, 'fresh')).join(''),
    '?replace=true',
  )
  assert.equal(reply.status, 200)
  replaced = true
  await watching
  assert.equal(await total('library/e/all/count'), 5000)
  sizes.delete(totalBefore)
  sizes.delete(5000)
  assert.deepEqual([...sizes], [])
})
