/** Files of documents in the forms in which people have them, over HTTP. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { lines, openTestServer } from './test-server.ts'

const novels = 'books/collections/novels/documents'
let server: Awaited<ReturnType<typeof openTestServer>>
before(async () => {
  server = await openTestServer()
})
after(() => server.close())

test('an import tells the position in a JSON array, and the line of everything else', async () => {
  const array = '[{"id":"p0"},\n{},{"id":"p2"},7]'
  const { body } = await server.call('dora', 'POST', novels, array, 'application/json')
  assert.deepEqual(
    body.errors.map(({ message: _, ...place }: { message: string }) => place),
    [{ index: 1 }, { index: 3 }],
  )
  const emptyDocument = await server.call('dora', 'POST', novels, '[{}]', 'application/json')
  assert.match(emptyDocument.body.message, /; index 0: the id is missing/)
  assert.equal(emptyDocument.body.errors[0].index, 0)
})

test('the documents API refuses unknown options of writes, which may destroy what they should keep', async () => {
  for (const [method, path, body] of [
    ['POST', `${novels}?upsert=true`, lines({ id: 'a' })],
    ['POST', `${novels}?replace=true&Strict=true`, lines({ id: 'a' })],
    ['PUT', `${novels}/a?dryRun=true`, '{}'],
    ['DELETE', `${novels}/a?dryRun=true`, undefined],
  ] as const) {
    const reply = await server.call('ada', method, path, body)
    assert.deepEqual([reply.status, reply.body.code], [400, 'bad-option'], path)
  }
  const unknownField = await server.call('ada', 'DELETE', `${novels}?nothing=true`)
  assert.equal(unknownField.status, 400)
})

test('an import of csv names an encoding that is not UTF-8, and takes it from the option', async () => {
  const send = (query: string, bytes: Uint8Array<ArrayBuffer>) =>
    server.call('dora', 'POST', `${novels}${query}`, bytes, 'text/csv')
  const windows1252 = Uint8Array.from(Buffer.from('id,title\nw1,caf\xe9\n', 'latin1'))
  const detected = await send('', windows1252)
  assert.deepEqual([detected.status, detected.body.encoding], [200, 'windows-1252'])
  assert.equal((await server.call('ada', 'GET', `${novels}/w1`)).body.title, 'café')
  const utf8 = Uint8Array.from(Buffer.from('id,title\nw1,café\n'))
  assert.equal((await send('', utf8)).body.encoding, undefined)
  assert.equal((await send('?encoding=windows-1252', utf8)).body.encoding, 'windows-1252')
  assert.equal((await server.call('ada', 'GET', `${novels}/w1`)).body.title, 'cafÃ©')
  const stated = await send('?encoding=utf-8', windows1252)
  assert.deepEqual([stated.status, stated.body.errors[0].line], [400, 2])
  assert.equal((await send('?encoding=latin1', utf8)).body.code, 'bad-option')
})

test('an import of tab-separated values has commas in its cells', async () => {
  const tabs = 'id\ttitle, and more\tpages\nt1\ta, b\t7\n'
  const { body } = await server.call('dora', 'POST', novels, tabs, 'text/tab-separated-values')
  assert.deepEqual([body.accepted, body.rejected], [1, 0])
  const { body: document } = await server.call('ada', 'GET', `${novels}/t1`)
  assert.deepEqual(document, { id: 't1', 'title, and more': 'a, b', pages: 7 })
})

test('an import counts different documents, and those that another of the same stream replaced', async () => {
  const repeated = ['x', 'y', 'x', 'z', 'x'].map(id => ({ id, title: id }))
  const escaped = `${lines(...repeated)}{"id":"\\u0079"}\n{}\n`
  const counts = { accepted: 6, documents: 3, replaced: 3, replacedIds: ['x', 'y'], rejected: 1 }
  for (const query of ['', '?replace=true']) {
    const { body } = await server.call('dora', 'POST', `${novels}${query}`, escaped)
    const { emptyFields, ...done } = body as Record<string, unknown>
    assert.deepEqual({ ...done, errors: [] }, { ...counts, errors: [] })
    // A writer learns nothing about documents that were there before.
    assert.deepEqual(emptyFields, query === '' ? undefined : ['genre', 'pages'])
  }
  const strict = await server.call('dora', 'POST', `${novels}?strict=true`, lines(...repeated))
  const repeats = { accepted: 5, documents: 3, replaced: 2, replacedIds: ['x'], rejected: 0, errors: [] }
  assert.deepEqual(strict.body, repeats)
  const array = await server.call('dora', 'POST', novels, JSON.stringify(repeated), 'application/json')
  assert.deepEqual(array.body, repeats)
  const csv = await server.call('dora', 'POST', novels, 'id\nx\ny\nx\n', 'text/csv')
  assert.deepEqual(csv.body, { ...repeats, accepted: 3, documents: 2, replaced: 1 })
  // Documents of an earlier import are no reason for a warning.
  const repeat = await server.call('dora', 'POST', novels, lines({ id: 'x' }))
  assert.deepEqual(repeat.body, { accepted: 1, documents: 1, replaced: 0, rejected: 0, errors: [] })
})

test('an import of a JSON object reads its list of objects, and GeoJSON its features', async () => {
  const send = (query: string, body: unknown) =>
    server.call('dora', 'POST', `${novels}${query}`, JSON.stringify(body), 'application/json')
  const body = { total: 2, page: { items: [{ id: 'o1', title: 'One' }, {}] }, facets: [{ id: 'f1' }] }
  const { body: longest } = await send('', body)
  assert.deepEqual([longest.accepted, longest.errors[0].index], [1, 1])
  assert.equal((await server.call('ada', 'GET', `${novels}/o1`)).body.title, 'One')
  assert.equal((await send('?rows=facets', body)).body.accepted, 1)
  const { status, body: missing } = await send('?rows=nothing', body)
  assert.deepEqual([status, missing.code], [400, 'bad-documents'])
  const geometry = { type: 'Point', coordinates: [4.89, 52.37] }
  const feature = { type: 'Feature', properties: { id: 'g1', title: 'Dam' }, geometry }
  await send('', { type: 'FeatureCollection', features: [feature] })
  assert.deepEqual((await server.call('ada', 'GET', `${novels}/g1`)).body, {
    id: 'g1',
    title: 'Dam',
    geometry,
  })
})

test('the charset of a table is its encoding, and one that the server does not read is refused', async () => {
  const bytes = Uint8Array.from(Buffer.from('id,title\nx1,caf\xc3\xa9\n', 'latin1'))
  const send = (charset: string) =>
    server.call('dora', 'POST', novels, bytes, `text/csv; header=present; charset=${charset}`)
  const readTitle = async () => (await server.call('ada', 'GET', `${novels}/x1`)).body.title
  for (const [charset, title] of [
    ['UTF-8', 'café'],
    ['windows-1252', 'cafÃ©'],
    ['"ISO-8859-1"', 'cafÃ©'],
  ] as const) {
    assert.equal((await send(charset)).status, 200, charset)
    assert.equal(await readTitle(), title)
  }
  const refusal = await send('koi8-r')
  assert.deepEqual([refusal.status, refusal.body.code], [415, 'unsupported-media-type'])
  const json = await server.call('dora', 'POST', novels, '[]', 'application/json; charset=windows-1252')
  assert.equal(json.status, 415)
})
