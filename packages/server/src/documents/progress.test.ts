import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { after, before, describe, it, type TestContext } from 'node:test'
import { sql } from 'kysely'
import { openImportsProgress } from './progress.ts'
import { lines, openTestServer, type Person } from './test-server.ts'

let server: Awaited<ReturnType<typeof openTestServer>>
before(async () => {
  server = await openTestServer()
})
after(() => server.close())

const novels = 'books/collections/novels'
const progressOf = async (name: string, person: Person = 'dora') =>
  (await server.call(person, 'GET', `${novels}/imports/${name}`)).body

/** Sends two whole batches of documents and a part of the third, and goes away when the two are written. */
const breakOff = async (t: TestContext, name: string, options = '') => {
  const body = lines(...Array.from({ length: 2500 }, (_, at) => ({ id: `${name}${at}`, title: 'cut' })))
  const request = httpRequest(
    `http://127.0.0.1:${server.port}/4/${novels}/documents?import=${name}${options}`,
    {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await server.tokenOf('dora')}`,
        'content-type': 'application/x-ndjson',
      },
    },
  )
  const closed = new Promise(resolve => request.on('error', () => {}).on('close', resolve))
  request.write(body)
  const whole = { state: 'running', bytes: body.length, documents: 2000 }
  await t.waitFor(async () => assert.deepEqual(await progressOf(name), whole), { timeout: 10_000 })
  request.destroy()
  await closed
  await t.waitFor(async () => assert.equal((await progressOf(name)).state, 'broken'), { timeout: 10_000 })
}

describe('the progress of an import', () => {
  it('is told by its name to the account that sends it, and to nobody else', async () => {
    const nothing = { state: 'unknown', bytes: 0, documents: 0 }
    assert.deepEqual(await progressOf('mine'), nothing)
    const body = `${lines({ id: 'a' }, { id: 'b' })}{}\n`
    await server.call('dora', 'POST', `${novels}/documents?import=mine`, body)
    assert.deepEqual(await progressOf('mine'), { state: 'complete', bytes: body.length, documents: 2 })
    assert.deepEqual(await progressOf('mine', 'ada'), nothing)
  })
  it('says of one that broke off how many documents are kept, and they are found', async t => {
    const { total: before } = await server.search()
    await breakOff(t, 'added')
    const { documents } = await progressOf('added')
    assert.equal(documents, 2000)
    assert.equal((await server.search()).total, before + documents)
  })
  it('says that nothing is kept of one that counts as a whole', async t => {
    const { total: before } = await server.search()
    for (const [name, options] of Object.entries({ strict: '&strict=true', replacing: '&replace=true' })) {
      await breakOff(t, name, options)
      assert.equal((await progressOf(name)).documents, 0)
    }
    assert.equal((await server.search()).total, before)
  })
  it('forgets the names of those that ended longest ago', async () => {
    const progress = openImportsProgress()
    const importer = { workspace: { id: 'w' }, name: 'novels', principal: { subject: 'dora' } }
    for (let at = 0; at <= 200; at += 1) await progress.follow(importer, `n${at}`, async () => {})
    const states = await Promise.all(['n0', 'n1', 'n200'].map(name => progress.of(importer, name)))
    assert.deepEqual(
      states.map(({ state }) => state),
      ['unknown', 'complete', 'complete'],
    )
  })
  it('is complete where it completed, also when the storage could not be told', async () => {
    const { storage, ids } = server
    const progress = openImportsProgress(undefined, storage)
    const importer = { workspace: { id: ids.books }, name: 'novels', principal: { subject: 'dora' } }
    await progress.follow(importer, 'untold', async counting => {
      counting.wrote(3)
      await sql`create trigger away before update on imports begin select raise(abort, 'away'); end`.execute(
        storage.db,
      )
    })
    await sql`drop trigger away`.execute(storage.db)
    // As after a while.
    await storage.db.updateTable('imports').set({ at: 0 }).where('name', '=', 'untold').execute()
    assert.deepEqual(await progress.of(importer, 'untold'), { state: 'complete', bytes: 0, documents: 3 })
  })
  it('is asked for by a name of 1 to 64 plain characters', async () => {
    const reply = await server.call(
      'dora',
      'POST',
      `${novels}/documents?import=${'n'.repeat(65)}`,
      '{"id":"n"}',
    )
    assert.deepEqual([reply.status, reply.body.code], [400, 'bad-option'])
    assert.match(reply.body.message, /1 to 64 letters/)
  })
})
