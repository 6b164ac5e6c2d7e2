import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { Definition } from '@querent/contract/workspace-file'
import { type Engine, EngineError, type PlanNode } from '#engines/engine'
import { listGenerations } from '#storage/generations'
import { openCollections } from './generations.ts'
import { everything, lines, openTestServer } from './test-server.ts'

const novels = 'books/collections/novels/documents'

/** Takes `copy` through `hold`, so that a test can look while a generation is being built. */
let hold: (copy: () => Promise<void>) => Promise<void> = copy => copy()
const holding = (engine: Engine): Engine => ({
  ...engine,
  copy: (source, target) => hold(() => engine.copy(source, target)),
})

let server: Awaited<ReturnType<typeof openTestServer>>
before(async () => {
  server = await openTestServer(holding)
})
after(() => server.close())

const withField =
  (name: string) =>
  (definition: Definition): Definition => ({
    ...definition,
    collections: {
      ...definition.collections,
      novels: {
        ...definition.collections?.novels,
        fields: { ...definition.collections?.novels?.fields, [name]: { type: 'keyword' } },
      },
    },
  })
const having = (field: string, value: string): PlanNode => ({
  kind: 'filter',
  field,
  alternatives: [{ score: 1, values: [value] }],
})
const count = async (...nodes: PlanNode[]) =>
  (await server.search({ ...everything, nodes: [{ kind: 'all' }, ...nodes] })).total

describe('generations', () => {
  it('start with an empty one, named 1', async () => {
    assert.equal(server.live()?.name, '1')
    assert.equal(await count(), 0)
    assert.equal(server.collections.live(server.ids.books, 'plays'), undefined)
  })
  it('stay when the definition changes nothing that the engine has to know', async () => {
    const before = server.live()
    await server.redefine(definition => ({ ...definition, title: 'More books' }))
    assert.deepEqual(server.live(), before)
  })
  it('are built beside the live one, which answers until then; writes meanwhile are not lost', async () => {
    await server.call('dora', 'POST', novels, lines({ id: 'a', shelf: 'top' }, { id: 'b', shelf: 'low' }))
    const before = server.live()
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const { promise: copied, resolve: hasCopied } = Promise.withResolvers<void>()
    hold = async copy => {
      await copy()
      hasCopied()
      await released
    }
    const redefined = server.redefine(withField('shelf'))
    await copied
    assert.equal(server.live()?.id, before?.id)
    assert.equal(await count(), 2, 'queries go on')
    assert.equal((await server.call('ada', 'GET', `${novels}/a`)).status, 200, 'so do reads')
    const put = server.call('dora', 'PUT', `${novels}/c`, '{"shelf":"top"}')
    let isPut = false
    put.finally(() => {
      isPut = true
    })
    assert.equal((await server.call('ada', 'GET', `${novels}/b`)).status, 200)
    assert.ok(!isPut, 'the write waits')
    release()
    await redefined
    hold = copy => copy()
    assert.equal((await put).status, 200)
    assert.equal(server.live()?.name, '2')
    assert.equal(await count(having('shelf', 'top')), 2)
    assert.equal(await count(), 3)
  })
  it('are dropped when another took their place and the queries on them are done', async t => {
    const isDropped = async () => {
      const rows = await listGenerations(server.storage.db, server.ids.books)
      assert.deepEqual(
        rows.map(({ number }) => number),
        [2],
      )
    }
    await t.waitFor(isDropped, { timeout: 10_000 })
  })
  it('stay as they were when the next cannot be built, and are built at the next try', async () => {
    const before = server.live()
    hold = () => Promise.reject(new EngineError('unavailable', 'the disk is full'))
    await assert.rejects(server.redefine(withField('mood')), /the disk is full/)
    assert.deepEqual(server.live(), before)
    hold = copy => copy()
    await server.collections.reconcile(server.ids.books)
    assert.notEqual(server.live()?.id, before?.id)
    assert.equal(await count(), 3)
  })
  it('go with their collection', async t => {
    const { collections } = (await server.directory.workspace('books'))?.definition ?? {}
    await server.redefine(definition => ({ ...definition, collections: {} }))
    assert.equal(server.live(), undefined)
    assert.equal((await server.call('ada', 'GET', novels)).status, 404)
    const areGone = async () =>
      assert.deepEqual(await listGenerations(server.storage.db, server.ids.books), [])
    await t.waitFor(areGone, { timeout: 10_000 })
    await server.redefine(definition => ({ ...definition, collections: collections ?? {} }))
    assert.equal(await count(), 0)
  })
  it('are there again after a restart; what a crash left half built is not', async () => {
    await server.call('dora', 'POST', novels, lines({ id: 'a' }))
    const before = server.live()
    hold = () => Promise.reject(new Error('the process ends here'))
    await server.redefine(withField('late')).catch(() => {})
    hold = copy => copy()
    const { storage, engine } = server
    const again = await openCollections({ storage, engine, graceMs: 0 })
    const live = again.live(server.ids.books, 'novels')
    assert.notEqual(live?.id, before?.id, 'the definition that was committed holds')
    assert.equal((await engine.search(live?.id ?? '', everything, 5000)).total, 1)
    await again.close()
  })
})

describe('an import into a slow engine', () => {
  it('holds two batches and no more, whatever is sent', async () => {
    let underway = 0
    let most = 0
    let received = 0
    const slow = await openTestServer(engine => ({
      ...engine,
      async write(id, writes) {
        underway += 1
        most = Math.max(most, underway)
        await wait(10)
        received += writes.length
        await engine.write(id, writes)
        underway -= 1
      },
    }))
    let sent = 0
    const text = 'x'.repeat(1000)
    const source = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          if (sent >= 20_000) return controller.close()
          const batch = Array.from({ length: 100 }, (_, at) => ({ id: `d${sent + at}`, title: text }))
          sent += 100
          largestLead = Math.max(largestLead, sent - received)
          controller.enqueue(new TextEncoder().encode(lines(...batch)))
        },
      },
      { highWaterMark: 0 },
    )
    let largestLead = 0
    const reply = await slow.call('dora', 'POST', novels, source)
    assert.deepEqual(reply.body, { accepted: 20_000, rejected: 0, errors: [] })
    assert.equal(most, 1, 'batches are written one after another')
    // Two batches, and what the sockets of both sides hold: a few MB at 1 KB a document.
    assert.ok(largestLead < 12_000, `the sender was ${largestLead} documents ahead`)
    await slow.close()
  })
  it('answers 503 when the engine fails, and keeps what it had acknowledged', async () => {
    let writes = 0
    const failing = await openTestServer(engine => ({
      ...engine,
      write(id, batch) {
        writes += 1
        return writes === 2
          ? Promise.reject(new EngineError('unavailable', 'the disk is full'))
          : engine.write(id, batch)
      },
    }))
    const documents = Array.from({ length: 5000 }, (_, at) => ({ id: `d${at}` }))
    const reply = await failing.call('dora', 'POST', novels, lines(...documents))
    assert.deepEqual([reply.status, reply.body.message], [503, 'the disk is full'])
    assert.equal((await failing.call('ada', 'GET', `${novels}/d0`)).status, 200)
    await failing.close()
  })
})
