/** Inputs at the limits of documents, beyond them, and far beyond them, in every way that documents come in. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { csvColumnsMax, documentFieldsMax, documentPartsMax, hasTooManyParts } from './document-size.ts'
import { lineBytesSkippedMax } from './lines.ts'
import { lines, openTestServer } from './test-server.ts'

let server: Awaited<ReturnType<typeof openTestServer>>
before(async () => {
  server = await openTestServer()
})
after(() => server.close())

const novels = 'books/collections/novels/documents'
const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, 1]))
const list = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item)
/** Bodies with one document, by `Content-Type`. A number like `1e3` makes the server read the line itself instead of the engine. */
const bodies = (document: string): [type: string, body: string][] => [
  ['application/x-ndjson', `${document}\n`],
  ['application/x-ndjson', `${document.slice(0, -1)},"n":1e3}\n`],
  ['application/json', `[${document}]`],
]

describe('a document', () => {
  it('has up to 10,000 fields besides its id, and 10,000 objects and lists', async () => {
    for (const document of [
      { id: 'a', ...fields(documentFieldsMax - 1) },
      { id: 'a', nested: { deeper: fields(documentFieldsMax - 3) } },
      { id: 'a', nested: list(documentPartsMax - 1, []) },
      { id: 'a', text: '[{:"'.repeat(50_000), numbers: list(100_000, 1) },
    ])
      for (const [type, body] of bodies(JSON.stringify(document))) {
        const { status, body: reply } = await server.call('dora', 'POST', novels, body, type)
        assert.deepEqual([status, reply.accepted], [200, 1], `${type} ${body.slice(0, 60)}`)
      }
  })
  it('with more is rejected as a line, and the others are accepted', async () => {
    for (const document of [
      { id: 'a', ...fields(documentFieldsMax + 1) },
      { id: 'a', ...fields(50_000) },
      { id: 'a', nested: list(documentPartsMax + 1, []) },
      { id: 'a', nested: list(100_000, {}) },
    ]) {
      const text = JSON.stringify(document)
      assert.equal(hasTooManyParts(text), true)
      for (const [type, body] of bodies(text)) {
        const alone = await server.call('dora', 'POST', novels, body, type)
        assert.deepEqual(
          [alone.status, alone.body.code],
          [400, 'bad-documents'],
          `${type} ${body.slice(0, 60)}`,
        )
      }
      const mixed = await server.call(
        'dora',
        'POST',
        novels,
        `${lines({ id: 'b' })}${text}\n${lines({ id: 'c' })}`,
      )
      assert.deepEqual(
        [mixed.status, mixed.body.accepted, mixed.body.rejected, mixed.body.errors[0].line],
        [200, 2, 1, 2],
      )
      const { status, body } = await server.call('dora', 'PUT', `${novels}/a`, text)
      assert.deepEqual([status, body.code], [400, 'bad-documents'])
    }
  })
})

describe('a CSV file', () => {
  const send = (body: string) => server.call('dora', 'POST', novels, body, 'text/csv')
  const columns = (count: number) => `id,${Array.from({ length: count - 1 }, (_, i) => `c${i}`).join(',')}\n`
  it('has up to 10,000 columns, also of one name', async () => {
    const record = `1${',1'.repeat(csvColumnsMax - 1)}\n`
    for (const header of [columns(csvColumnsMax), `id${',a'.repeat(csvColumnsMax - 1)}\n`]) {
      const { status, body } = await send(header + record)
      assert.deepEqual([status, body.accepted], [200, 1])
    }
  })
  it('with more is rejected', async () => {
    for (const count of [csvColumnsMax + 1, 150_000]) {
      const { status, body } = await send(`${columns(count)}1${',1'.repeat(count - 1)}\n`)
      assert.deepEqual([status, body.code, body.errors[0].line], [400, 'bad-documents', 1])
    }
  })
  it('keeps the values of a column that repeats, in their order, however many they are', async () => {
    const values = list(120_000, 1)
    const header = 'id,pages,pages\n'
    const { body } = await send(`${header}many,"${JSON.stringify(values)}",2\n`)
    assert.equal(body.accepted, 1)
    const stored = await server.call('ada', 'GET', `${novels}/many`)
    assert.deepEqual([stored.body.pages.length, stored.body.pages.at(-1)], [120_001, 2])
  })
  it('has at most 10,000 objects and lists in the JSON of one record', async () => {
    await server.redefine(definition => ({
      ...definition,
      collections: { ...definition.collections, things: { fields: { o: { type: 'object' } } } },
    }))
    const objects = 'books/collections/things/documents'
    const cell = JSON.stringify(list(documentPartsMax + 1, { a: 1 })).replaceAll('"', '""')
    const { status, body } = await server.call('dora', 'POST', objects, `id,o\n1,"${cell}"\n`, 'text/csv')
    assert.deepEqual([status, body.code], [400, 'bad-documents'])
  })
})

describe('a stream with an endless document', () => {
  const padding = 'x'.repeat(3 * lineBytesSkippedMax)
  const bodies = [
    ['application/x-ndjson', `${lines({ id: 'first' })}{"id":"endless","title":"${padding}`],
    ['application/json', `[{"id":"first"},{"id":"endless","title":"${padding}`],
    ['text/csv', `id,title\nfirst,\nendless,"${padding}`],
  ].map(([type = '', body = '']) => [type, gzipSync(body, { level: 1 })] as const)
  const send = (type: string, body: Uint8Array<ArrayBuffer>, query: string) =>
    server.call('dora', 'POST', `${novels}?${query}`, body, type, { 'content-encoding': 'gzip' })

  it('ends there: no more of its gzip is decompressed, and the documents before it stay', async () => {
    for (const [index, [type, body]] of bodies.entries()) {
      await server.call('dora', 'DELETE', `${novels}/first`)
      const reply = await send(type, body, `import=endless${index}`)
      assert.deepEqual([reply.status, reply.body.accepted, reply.body.rejected], [200, 1, 1], type)
      assert.equal((await server.call('ada', 'GET', `${novels}/first`)).status, 200)
      const progress = await server.call('dora', 'GET', `books/collections/novels/imports/endless${index}`)
      assert.ok(progress.body.bytes < 2 * lineBytesSkippedMax, `${type}: ${progress.body.bytes} bytes`)
    }
  })
  it('replaces nothing', async () => {
    await server.call('dora', 'POST', novels, lines({ id: 'kept' }))
    for (const [type, body] of bodies) {
      const { status, body: reply } = await send(type, body, 'replace=true')
      assert.deepEqual([status, reply.code], [400, 'bad-documents'], type)
      assert.equal((await server.call('ada', 'GET', `${novels}/kept`)).status, 200)
    }
  })
})
