import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { after, before, describe, it, type TestContext } from 'node:test'
import { sql } from 'kysely'
import { createCounters } from '#telemetry/counters'
import { patienceMs } from '#test-wait'
import { createImportsProgress } from './progress.ts'
import { lines, openTestServer, type Person } from './test-server.ts'

let server: Awaited<ReturnType<typeof openTestServer>>
before(async () => {
  server = await openTestServer()
})
after(() => server.close())

const novels = 'books/collections/novels'
const getProgress = async (name: string, person: Person = 'dora') =>
  (await server.call(person, 'GET', `${novels}/imports/${name}`)).body

/** Sends two whole batches of documents and a part of the third, and disconnects when the two are written. */
const breakOff = async (t: TestContext, name: string, options = '') => {
  const body = lines(...Array.from({ length: 2500 }, (_, index) => ({ id: `${name}${index}`, title: 'cut' })))
  const request = httpRequest(
    `http://127.0.0.1:${server.port}/4/${novels}/documents?import=${name}${options}`,
    {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await server.requestToken('dora')}`,
        'content-type': 'application/x-ndjson',
      },
    },
  )
  const closed = new Promise(resolve => request.on('error', () => {}).on('close', resolve))
  request.write(body)
  const batches = { state: 'running', bytes: body.length, documents: 2000 }
  await t.waitFor(async () => assert.deepEqual(await getProgress(name), batches), { timeout: patienceMs })
  request.destroy()
  await closed
  await t.waitFor(async () => assert.equal((await getProgress(name)).state, 'broken'), {
    timeout: patienceMs,
  })
}

describe('the progress of an import', () => {
  it('is told by its name to the account that sends it, and to nobody else', async () => {
    const unknown = { state: 'unknown', bytes: 0, documents: 0 }
    assert.deepEqual(await getProgress('mine'), unknown)
    const body = `${lines({ id: 'a' }, { id: 'b' })}{}\n`
    await server.call('dora', 'POST', `${novels}/documents?import=mine`, body)
    assert.deepEqual(await getProgress('mine'), { state: 'complete', bytes: body.length, documents: 2 })
    assert.deepEqual(await getProgress('mine', 'ada'), unknown)
  })
  it('says of one that broke off how many documents are kept, and they are found', async t => {
    const { total: totalBefore } = await server.search()
    await breakOff(t, 'added')
    const { documents } = await getProgress('added')
    assert.equal(documents, 2000)
    assert.equal((await server.search()).total, totalBefore + documents)
  })
  it('says that nothing is kept of one that counts as a whole', async t => {
    const { total: totalBefore } = await server.search()
    for (const [name, options] of Object.entries({ strict: '&strict=true', replacing: '&replace=true' })) {
      await breakOff(t, name, options)
      assert.equal((await getProgress(name)).documents, 0)
    }
    assert.equal((await server.search()).total, totalBefore)
  })
  it('forgets the names of those that ended longest ago', async () => {
    const progress = createImportsProgress(createCounters().imports)
    const importer = { workspace: { id: 'w' }, name: 'novels', principal: { subject: 'dora' } }
    for (let number = 0; number <= 200; number += 1)
      await progress.track(importer, `n${number}`, async () => {})
    const states = await Promise.all(['n0', 'n1', 'n200'].map(name => progress.get(importer, name)))
    assert.deepEqual(
      states.map(({ state }) => state),
      ['unknown', 'complete', 'complete'],
    )
  })
  it('is complete where it completed, also when the storage could not be told', async () => {
    const { storage, ids } = server
    const progress = createImportsProgress(createCounters().imports, storage)
    const importer = { workspace: { id: ids.books }, name: 'novels', principal: { subject: 'dora' } }
    await progress.track(importer, 'untold', async counting => {
      counting.addDocuments(3)
      await sql`create trigger away before update on imports begin select raise(abort, 'away'); end`.execute(
        storage.db,
      )
    })
    await sql`drop trigger away`.execute(storage.db)
    // As after a while.
    await storage.db.updateTable('imports').set({ at: 0 }).where('name', '=', 'untold').execute()
    assert.deepEqual(await progress.get(importer, 'untold'), { state: 'complete', bytes: 0, documents: 3 })
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
