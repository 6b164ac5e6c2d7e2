import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { deleteDocument, importDocuments } from './documents.ts'
import { ApiError, UnreachableError } from './errors.ts'
import { listen, readBody, sendJson } from './test-server.ts'

const bytes = async function* (...lines: string[]) {
  for (const line of lines) yield Buffer.from(`${line}\n`)
}
const target = { token: async () => 'T', workspace: 'dictionary', collection: 'entries' }

test('importDocuments streams the documents with their media type and options', async t => {
  const baseUrl = await listen(t, async (request, reply) => {
    assert.equal(request.url, '/4/dictionary/collections/entries/documents?replace=true&strict=true')
    assert.equal(request.headers['content-type'], 'application/x-ndjson')
    assert.equal(request.headers['transfer-encoding'], 'chunked')
    assert.equal(request.headers.authorization, 'Bearer T')
    assert.equal(await readBody(request), '{"id":1}\n{"id":2}\n')
    sendJson(reply, 200, { accepted: 2, documents: 2, replaced: 0, rejected: 0, errors: [] })
  })
  const source = bytes('{"id":1}', '{"id":2}')
  const reply = await importDocuments({
    ...target,
    baseUrl: `${baseUrl}/`,
    source,
    replace: true,
    strict: true,
  })
  assert.deepEqual(reply, { accepted: 2, documents: 2, replaced: 0, rejected: 0, errors: [] })
})

test('importDocuments reads the source only as fast as the server accepts it', async t => {
  const chunk = Buffer.alloc(64 * 1024, 'x')
  let produced = 0
  const source = async function* () {
    for (let i = 0; i < 1000; i++) {
      produced += 1
      yield chunk
    }
  }
  let producedWhilePaused = 0
  const baseUrl = await listen(t, async (request, reply) => {
    // Until the client waits for the server.
    for (let quietTurns = 0; quietTurns < 1000; quietTurns++) {
      if (produced > producedWhilePaused) quietTurns = 0
      producedWhilePaused = produced
      await turn()
    }
    const body = await readBody(request)
    sendJson(reply, 200, {
      accepted: body.length,
      documents: body.length,
      replaced: 0,
      rejected: 0,
      errors: [],
    })
  })
  const reply = await importDocuments({ ...target, baseUrl, source: source() })
  assert.equal(reply.accepted, 1000 * chunk.length)
  assert.ok(
    producedWhilePaused < 500,
    `${producedWhilePaused} chunks were read before the server accepted any`,
  )
})

test('if the server rejects a stream midway, importDocuments throws its reply, not a broken pipe', async t => {
  const endless = async function* () {
    while (true) yield Buffer.alloc(64 * 1024)
  }
  const baseUrl = await listen(t, (request, reply) => {
    request.once('data', () => {
      reply.shouldKeepAlive = false
      sendJson(reply, 403, {
        message: 'no data-provider',
        status: 403,
        code: 'insufficient-scope',
        requestId: 'r',
      })
    })
  })
  await assert.rejects(
    importDocuments({ ...target, baseUrl, source: endless() }),
    (error: unknown) => error instanceof ApiError && error.code === 'insufficient-scope',
  )
})

test('if no document is accepted, the error contains the rejected lines', async t => {
  const errors = [{ line: 1, message: 'no id' }]
  const baseUrl = await listen(t, async (request, reply) => {
    await readBody(request)
    sendJson(reply, 400, {
      message: 'nothing was accepted',
      status: 400,
      code: 'bad-documents',
      requestId: 'r',
      errors,
    })
  })
  await assert.rejects(importDocuments({ ...target, baseUrl, source: bytes('{}') }), (error: unknown) => {
    assert.ok(error instanceof ApiError)
    assert.deepEqual(error.errors, errors)
    return true
  })
})

test('importDocuments throws the error of an unreadable source, and closes its request', async t => {
  const broken = async function* () {
    yield Buffer.from('{"id":1}\n')
    throw new Error('the disk is gone')
  }
  const baseUrl = await listen(t, async (request, reply) => {
    await readBody(request).then(
      () => sendJson(reply, 200, { accepted: 1, documents: 1, replaced: 0, rejected: 0, errors: [] }),
      () => {},
    )
  })
  await assert.rejects(importDocuments({ ...target, baseUrl, source: broken() }), /the disk is gone/)
})

test('importDocuments throws an UnreachableError if there is no server or the connection breaks', async t => {
  const baseUrl = await listen(t, request => {
    request.once('data', () => request.destroy())
  })
  for (const address of [baseUrl, 'http://127.0.0.1:2'])
    await assert.rejects(
      importDocuments({ ...target, baseUrl: address, source: bytes('{}') }),
      (error: unknown) => error instanceof UnreachableError,
    )
})

test('deleteDocument encodes the id, and sends it again when the server says so', async t => {
  const requests: string[] = []
  const baseUrl = await listen(t, (request, reply) => {
    requests.push(`${request.method} ${request.url}`)
    if (requests.length === 1)
      sendJson(reply.setHeader('retry-after', '0'), 503, {
        message: 'busy',
        status: 503,
        code: 'overloaded',
        requestId: 'r',
      })
    else reply.writeHead(204).end()
  })
  await deleteDocument({ ...target, baseUrl, id: 'a/b?c' })
  assert.deepEqual(requests, Array(2).fill('DELETE /4/dictionary/collections/entries/documents/a%2Fb%3Fc'))
  await assert.rejects(deleteDocument({ ...target, baseUrl, id: '..' }), ApiError)
  assert.equal(requests.length, 2)
})
