/**
 * After a search index is lost, the server starts, logs it, replies with 503 until the index is rebuilt from the documents, and then works
 * as before.
 */
import assert from 'node:assert/strict'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { patienceMs } from '#server/test-wait'
import { type ServerProcess, startServerProcess } from '#tests/support/started-server'

const file = `
workspace: shelf
collections:
  books:
    id: { field: id }
    fields: { title: { type: text } }
apis:
  shelf:
    access: public
    endpoints: { search: { kind: match, collection: books } }
`
/** Enough documents that rebuilding takes longer than a few requests. */
const documents = 40_000

const line = (id: number) => JSON.stringify({ id, title: `volume ${id} of the long history of books` })

let server: ServerProcess
before(async () => {
  server = await startServerProcess()
  await server.applyWorkspace(file)
  await server.importDocuments(
    'shelf',
    'books',
    Array.from({ length: documents }, (_, id) => line(id)).join('\n'),
  )
})
after(() => server.stop())

const get = async (path: string) => {
  const reply = await fetch(`${server.baseUrl}/4/shelf/api/shelf/${path}`)
  // Replies of the contract, or an error.
  const body = (await reply.json()) as {
    message?: string
    code?: string
    total?: number
    status?: string | number
    rebuilding?: Record<string, { done: number; total: number }>
  }
  return { reply, body }
}

const loseIndexes = async () => {
  const engine = join(server.data, 'engine')
  // A merge may write another file meanwhile.
  for (const generation of await readdir(engine))
    await rm(join(engine, generation, 'index'), { recursive: true, maxRetries: 10 })
}
const waitUntilRebuilt = async (t: TestContext) => {
  while ((await get('status')).body.status === 'rebuilding');
  assert.equal((await get('e/search/p/query/volume/count')).body.total, documents)
  // Its log arrives separately from its replies.
  const assertLogged = () => {
    assert.match(
      server.log(),
      /rebuilding the search index of a generation from its documents: it is missing/,
    )
    assert.match(server.log(), /"durationMs":[0-9]+.*rebuilt the search index/)
  }
  await t.waitFor(assertLogged, { timeout: patienceMs })
}

test('if an index goes missing, queries get 503 with the progress of the rebuild, the status shows it, and all documents return', async t => {
  await loseIndexes()
  // The next commit notices it and is rejected. If a merge has noticed it before, the commit waits until the index is rebuilt.
  const imported = server.importDocuments('shelf', 'books', line(0)).catch(String)
  // Both requests run at once, because the rebuild takes less than a second.
  const ask = () => Promise.all([get('e/search/p/query/volume/count'), get('status')])
  let [refused, status] = await ask()
  while (refused.reply.ok || status.body.status !== 'rebuilding') [refused, status] = await ask()
  assert.equal(refused.reply.status, 503)
  assert.ok(Number(refused.reply.headers.get('retry-after')) >= 1)
  assert.equal(refused.body.code, 'unavailable')
  assert.match(refused.body.message ?? '', new RegExp(`being rebuilt, [0-9]+ of ${documents} documents`))
  assert.equal(status.reply.status, 200)
  assert.equal(status.body.rebuilding?.books?.total, documents)
  const importResult = await imported
  if (typeof importResult === 'string') assert.match(importResult, /being rebuilt/)
  await waitUntilRebuilt(t)
})

test('if an index is missing at the start, the server starts and all documents return', async t => {
  await server.kill()
  await loseIndexes()
  await server.restart()
  await waitUntilRebuilt(t)
})
