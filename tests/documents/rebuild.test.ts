/** A search index that is lost: the server starts, says so, answers 503 until it is built again from the documents, and then as before. */
import assert from 'node:assert/strict'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { type StartedServer, startServer } from '#tests/support/started-server'

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
/** Enough that building them in takes longer than a few requests. */
const documents = 40_000

const line = (id: number) => JSON.stringify({ id, title: `volume ${id} of the long history of books` })

let server: StartedServer
before(async () => {
  server = await startServer()
  await server.run(['apply', '-'], { input: file })
  await server.run(['import', 'shelf', 'books', '-'], {
    input: Array.from({ length: documents }, (_, id) => line(id)).join('\n'),
  })
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
  for (const generation of await readdir(engine))
    await rm(join(engine, generation, 'index'), { recursive: true })
}
const waitUntilRebuilt = async (t: TestContext) => {
  while ((await get('status')).body.status === 'rebuilding');
  assert.equal((await get('e/search/p/query/volume/count')).body.total, documents)
  // Its log comes by another way than its replies.
  const assertLogged = () => {
    assert.match(server.log(), /being built again from its documents: it is missing/)
    assert.match(server.log(), /"durationMs":[0-9]+.*is built again/)
  }
  await t.waitFor(assertLogged, { timeout: 20_000 })
}

test('an index that goes missing: queries are answered 503 with how far it is, the status says so, and then all is there', async t => {
  await loseIndexes()
  // The next commit stumbles over it and is refused; where a merge has come upon it before, the commit waits until all is built again.
  const imported = server.run(['import', 'shelf', 'books', '-'], { input: line(0) }).catch(String)
  // At the same moment: it is built again in less than a second.
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

test('an index that is missing at the start: the server starts, and then all is there', async t => {
  await server.kill()
  await loseIndexes()
  await server.restart()
  await waitUntilRebuilt(t)
})
