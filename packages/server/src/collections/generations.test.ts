import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { Definition } from '@querent/contract/workspace-file'
import { allDocuments, lines, openTestServer } from '#documents/test-server'
import { type Engine, EngineError, type PlanNode } from '#engines/engine'
import { createWorkReports } from '#memory/work-reports'
import { listDrops } from '#storage/engine-drops'
import { listGenerations, makeEngineId } from '#storage/generations'
import { removeWorkspace } from '#storage/workspaces'
import { patienceMs } from '#test-wait'
import type { Candidates } from './collections.ts'
import { openCollections } from './generations.ts'

const novels = 'books/collections/novels/documents'

/** Wraps the engine's `copy`, so that a test can pause or fail a build. */
let aroundCopy: (copy: () => Promise<void>) => Promise<void> = copy => copy()
/** Ids of generations that the engine fails to open. */
const broken = new Set<string>()
const withHooks = (engine: Engine): Engine => ({
  ...engine,
  isOpened: id => !broken.has(id) && (engine.isOpened?.(id) ?? true),
  whenOpened: (id, ...args) =>
    broken.has(id)
      ? Promise.reject(new EngineError('unavailable', 'the stored documents cannot be used'))
      : engine.whenOpened?.(id, ...args),
  copy: (source, target) => aroundCopy(() => engine.copy(source, target)),
})

let server: Awaited<ReturnType<typeof openTestServer>>
before(async () => {
  server = await openTestServer(withHooks)
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
const fieldEquals = (field: string, value: string): PlanNode => ({
  kind: 'filter',
  field,
  alternatives: [{ score: 1, values: [value] }],
})
const count = async (...nodes: PlanNode[]) =>
  (await server.search({ ...allDocuments, nodes: [{ kind: 'all' }, ...nodes] })).total

describe('generations', () => {
  it('start with an empty one, named 1', async () => {
    assert.equal(server.live()?.name, '1')
    assert.equal(await count(), 0)
    assert.equal(server.collections.live(server.ids.books, 'plays'), undefined)
  })
  it('stay when a change of the definition does not concern the engine', async () => {
    const previous = server.live()
    await server.redefine(definition => ({ ...definition, title: 'More books' }))
    assert.deepEqual(server.live(), previous)
  })
  it('are built while the live one answers; no write is lost meanwhile', async () => {
    await server.call('dora', 'POST', novels, lines({ id: 'a', shelf: 'top' }, { id: 'b', shelf: 'low' }))
    const previous = server.live()
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const { promise: copied, resolve: hasCopied } = Promise.withResolvers<void>()
    aroundCopy = async copy => {
      await copy()
      hasCopied()
      await released
    }
    const redefined = server.redefine(withField('shelf'))
    await copied
    assert.equal(server.live()?.id, previous?.id)
    assert.equal(await count(), 2, 'queries go on')
    assert.equal((await server.call('ada', 'GET', `${novels}/a`)).status, 200, 'so do reads')
    const putReply = server.call('dora', 'PUT', `${novels}/c`, '{"shelf":"top"}')
    let isPut = false
    putReply.finally(() => {
      isPut = true
    })
    assert.equal((await server.call('ada', 'GET', `${novels}/b`)).status, 200)
    assert.ok(!isPut, 'the write waits')
    release()
    await redefined
    aroundCopy = copy => copy()
    assert.equal((await putReply).status, 200)
    assert.equal(server.live()?.name, '2')
    assert.equal(await count(fieldEquals('shelf', 'top')), 2)
    assert.equal(await count(), 3)
  })
  it('stay live when a build fails; the next reconcile repeats it', async () => {
    const previous = server.live()
    aroundCopy = () => Promise.reject(new EngineError('unavailable', 'the disk is full'))
    await assert.rejects(server.redefine(withField('mood')), /the disk is full/)
    assert.deepEqual(server.live(), previous)
    aroundCopy = copy => copy()
    await server.collections.reconcile(server.ids.books)
    assert.notEqual(server.live()?.id, previous?.id)
    assert.equal(await count(), 3)
  })
  it('stay after they are superseded while they are pinned', async t => {
    const [previous] = await listGenerations(server.storage.db, server.ids.books, 'novels')
    assert.ok(previous)
    const { collections, engine } = server
    await collections.withPinned(async () => {
      const id = await collections.openPinned(previous)
      // The sixth makes it surplus. The pin keeps it, whether or not its grace period of 50 ms is over.
      for (let n = 0; n < 12; n++) await server.redefine(withField(`field${n}`))
      assert.equal((await engine.list(id, undefined, 10)).length, 3)
    })
    const isGone = () => assert.throws(() => engine.info(makeEngineId(previous)))
    await t.waitFor(isGone, { timeout: patienceMs })
  })
  it('are dropped with their collection', async t => {
    const { collections } = (await server.directory.workspace('books'))?.definition ?? {}
    await server.redefine(definition => ({ ...definition, collections: {} }))
    assert.equal(server.live(), undefined)
    assert.equal((await server.call('ada', 'GET', novels)).status, 404)
    const areGone = async () =>
      assert.deepEqual(await listGenerations(server.storage.db, server.ids.books), [])
    await t.waitFor(areGone, { timeout: patienceMs })
    await server.redefine(definition => ({ ...definition, collections: collections ?? {} }))
    assert.equal(await count(), 0)
  })
  it('survive a restart, except those that a crash left half built', async () => {
    const node = await openTestServer(withHooks)
    await node.call('dora', 'POST', novels, lines({ id: 'a' }))
    const previous = node.live()
    aroundCopy = () => Promise.reject(new Error('the process ends here'))
    await node.redefine(withField('late')).catch(() => {})
    aroundCopy = copy => copy()
    const { storage, engine } = node
    await node.collections.close()
    const restarted = await openCollections({ storage, engine, graceMs: 0 })
    const live = restarted.live(node.ids.books, 'novels')
    assert.notEqual(live?.id, previous?.id, 'the definition that was committed holds')
    assert.equal((await engine.search(live?.id ?? '', allDocuments, 5000)).total, 1)
    await restarted.close()
    await node.close()
  })
})

describe('retained generations', () => {
  const importIds = (query: string, ...ids: string[]) =>
    server.call('dora', 'POST', `${novels}?${query}`, lines(...ids.map(id => ({ id, late: id }))))
  const findBooks = async () => {
    const workspace = await server.directory.workspace('books')
    assert.ok(workspace)
    return workspace
  }
  const list = async () => server.collections.list(await findBooks(), 'novels')
  const summaries = async () =>
    (await list()).map(({ name, state, documents }) => `${name} ${state} ${documents}`)
  const promote = (choose: (candidates: Candidates) => string | undefined) =>
    server.collections.promote(
      server.ids.books,
      'novels',
      candidates => choose(candidates) ?? assert.fail('there is none'),
      async () => {},
    )
  /** Ids that a query under a configuration finds. */
  const answers = async (config: string) => {
    const generation = await server.collections.resolve(await findBooks(), 'novels', config)
    const { hits } = await server.engine.search(generation?.id ?? '', allDocuments, 5000)
    return hits.map(({ entity }) => JSON.parse(entity).attributes.late).join(' ')
  }
  let first = 0
  const name = (offset: number) => String(first + offset)

  const setKeepGenerations = (keepGenerations: number) =>
    server.redefine(definition => ({ ...definition, settings: { ...definition.settings, keepGenerations } }))
  const assertRowCount = async (rowCount: number) =>
    assert.equal((await listGenerations(server.storage.db, server.ids.books)).length, rowCount)

  it('are the live one, the one before it and the newest three others', async t => {
    for (const id of ['1', '2', '3', '4', '5', '6']) await importIds('replace=true', id)
    const live = Number(server.live()?.name)
    const names = async () => (await list()).map(info => Number(info.name))
    assert.deepEqual(
      await names(),
      [0, 1, 2, 3, 4].map(back => live - back),
    )
    await t.waitFor(() => assertRowCount(5), { timeout: patienceMs })
  })
  it('include the one to roll back to after any number of staged imports and rollbacks', async () => {
    const live = Number(server.live()?.name)
    for (const id of ['s1', 's2', 's3', 's4', 's5', 's6']) await importIds('replace=true&stage=true', id)
    const expected = [live + 6, live + 5, live + 4, live, live - 1].map(String)
    assert.deepEqual(
      (await list()).map(info => info.name),
      expected,
    )
    assert.equal(await promote(({ promoted }) => promoted[1]), String(live - 1))
    assert.equal(await answers('default'), '5')
    await importIds('replace=true&stage=true', 's7')
    assert.equal(await promote(({ promoted }) => promoted[1]), String(live))
    assert.equal(await answers('default'), '6')
    await setKeepGenerations(0)
    assert.deepEqual(
      (await list()).map(info => info.name),
      [live + 7, live, live - 1].map(String),
      'the newest stays too, because it may be a staged one',
    )
    await importIds('replace=true', '7')
  })
  it('include as many others as the workspace sets, each with its number of documents', async t => {
    await setKeepGenerations(1)
    for (const ids of [['a'], ['b', 'c'], ['d', 'e', 'f'], ['g']]) await importIds('replace=true', ...ids)
    first = Number(server.live()?.name) - 3
    const expected = [`${name(3)} promoted 1`, `${name(2)} complete 3`, `${name(1)} complete 2`]
    await t.waitFor(async () => assert.deepEqual(await summaries(), expected), { timeout: patienceMs })
    await t.waitFor(() => assertRowCount(3), { timeout: patienceMs })
  })
  it('answer again after a rollback or a roll forward', async () => {
    assert.equal(await promote(({ promoted }) => promoted[1]), name(2))
    assert.equal(await answers('default'), 'd e f')
    assert.equal(await promote(({ promoted }) => promoted[1]), name(3))
    assert.equal(await answers('default'), 'g')
    assert.equal(await promote(() => name(1)), name(1))
    assert.equal(await answers('default'), 'b c')
    await promote(({ latest }) => latest)
    assert.equal(await answers('default'), 'g')
  })
  it('are closed while no configuration uses them, and opened when one does', async t => {
    const openIn = async () => {
      const rows = await listGenerations(server.storage.db, server.ids.books)
      return rows.map(row => makeEngineId(row)).filter(id => isOpen(id))
    }
    const isOpen = (id: string) => {
      try {
        return server.engine.info(id).documents > 0
      } catch {
        return false
      }
    }
    const onlyLive = async () => assert.deepEqual(await openIn(), [server.live()?.id])
    await t.waitFor(onlyLive, { timeout: patienceMs })
    assert.deepEqual(await summaries(), [
      `${name(3)} promoted 1`,
      `${name(2)} complete 3`,
      `${name(1)} complete 2`,
    ])
    await promote(() => name(2))
    assert.equal(await answers('default'), 'd e f')
    await t.waitFor(onlyLive, { timeout: patienceMs })
    await promote(() => name(3))
    assert.equal(await answers('default'), 'g')
  })
  it('can be promoted while the live one cannot be opened', async () => {
    assert.equal(await promote(() => name(2)), name(2))
    broken.add(server.live()?.id ?? '')
    assert.equal(await promote(() => name(3)), name(3))
    broken.clear()
    assert.equal(await answers('default'), 'g')
  })
  it('can be staged: complete, but live only after a promotion', async () => {
    assert.equal((await importIds('replace=true&stage=true', 'h', 'i')).status, 200)
    assert.equal(await answers('default'), 'g')
    assert.equal((await summaries())[0], `${name(4)} complete 2`)
    await server.redefine(definition => ({
      ...definition,
      configurations: { staging: { novels: 'latest' }, old: { novels: name(2) } },
    }))
    assert.deepEqual(
      [await answers('default'), await answers('staging'), await answers('old')],
      ['g', 'h i', 'd e f'],
    )
    const configurations = Object.fromEntries((await list()).map(info => [info.name, info.configurations]))
    assert.deepEqual(configurations[name(4)], ['staging'])
    assert.deepEqual(configurations[name(3)], ['default'])
    assert.deepEqual(configurations[name(2)], ['old'])
    assert.equal(await promote(({ latest }) => latest), name(4))
    assert.equal(await answers('default'), 'h i')
  })
  it('stay exactly as long as a configuration names them', async t => {
    for (const id of ['j', 'k', 'l']) await importIds('replace=true', id)
    assert.equal(await answers('old'), 'd e f')
    assert.equal((await list()).length, 4)
    await server.redefine(definition => ({ ...definition, configurations: {} }))
    await t.waitFor(async () => assert.equal((await list()).length, 3), { timeout: patienceMs })
  })
  it('have the currently defined fields when they answer', async () => {
    await importIds('replace=true&stage=true', 'm')
    await server.redefine(definition => ({
      ...withField('mark')(definition),
      configurations: { staging: { novels: 'latest' } },
    }))
    assert.equal(await answers('default'), 'l')
    assert.equal(await answers('staging'), 'm', 'the staged one is still the newest')
    const workspace = await findBooks()
    const staged = await server.collections.resolve(workspace, 'novels', 'staging')
    const rows = await listGenerations(server.storage.db, server.ids.books)
    for (const { id } of [staged, server.live()].filter(generation => generation !== undefined))
      assert.match(rows.find(row => id.startsWith(row.id))?.spec_json ?? '', /"mark"/)
    await promote(({ promoted }) => promoted[1])
    assert.equal(await answers('default'), 'l')
    await server.call('dora', 'PUT', `${novels}/n`, '{"mark":"x"}')
    assert.equal(await count(fieldEquals('mark', 'x')), 1, 'one built for other fields has them too')
  })
  it('survive a restart, with those that configurations name', async () => {
    const { storage, engine } = server
    await server.collections.close()
    const openedIds: string[] = []
    const failing: Engine = {
      ...engine,
      isOpened: () => false,
      async open(id, spec, isLazy) {
        if (isLazy) return engine.open(id, spec, isLazy)
        openedIds.push(id)
        throw new EngineError('unavailable', 'the stored documents cannot be used')
      },
    }
    const restarted = await openCollections({ storage, engine: failing, graceMs: 0 })
    assert.ok(
      openedIds.includes(server.live()?.id ?? ''),
      'the start tries the live one, and a failure does not end it',
    )
    const workspace = await findBooks()
    const resolveBoth = async (source: typeof restarted) => [
      await source.resolve(workspace, 'novels', 'staging'),
      await source.resolve(workspace, 'novels', 'default'),
    ]
    const plain = (generations: unknown[]) => JSON.stringify(generations, ['id', 'name'])
    assert.equal(plain(await resolveBoth(restarted)), plain(await resolveBoth(server.collections)))
    await restarted.close()
  })
  it('of a removed workspace are dropped after the grace period of queries', async () => {
    const { storage, engine, ids } = server
    const graceMs = 3_600_000
    const engineIds = (await listGenerations(storage.db, ids.books)).map(makeEngineId)
    const restarted = await openCollections({ storage, engine, graceMs })
    const startedAt = Date.now()
    await storage.write(async writer => {
      await restarted.planRemoval(writer, ids.books)
      await removeWorkspace(writer, { id: ids.books, slug: 'books' })
    })
    const planned = await listDrops(storage.db, 'sqlite', true)
    assert.deepEqual(planned.map(({ id }) => id).toSorted(), engineIds.toSorted())
    assert.ok(planned.every(({ due_at }) => due_at >= startedAt + graceMs))
    await restarted.close()
    const reports = createWorkReports()
    const failing: string[] = []
    reports.onChange(({ work }) => failing.push(work))
    const drop = () => Promise.reject(new EngineError('unavailable', 'the index cannot be deleted'))
    const stuck = await openCollections({ storage, engine: { ...engine, drop }, graceMs, reports })
    assert.deepEqual(failing, ['generation-collection'])
    await stuck.close()
    await (await openCollections({ storage, engine, graceMs })).close()
    assert.deepEqual(await listDrops(storage.db, 'sqlite', true), [])
    for (const id of engineIds) assert.throws(() => engine.info(id))
  })
})

/** Passes each write of documents through `around`. */
const interceptWrites = (
  engine: Engine,
  around: (documents: number, write: () => Promise<void>) => Promise<void>,
): Engine => ({
  ...engine,
  write: (id, writes) => around(writes.length, () => engine.write(id, writes)),
  async readLines(block, rules) {
    const read = await engine.readLines?.(block, rules)
    assert.ok(read)
    return { ...read, write: (id, extraWrites) => around(read.lines, () => read.write(id, extraWrites)) }
  },
})

describe('an import into a slow engine', () => {
  it('buffers no more than two batches, whatever the client sends', async () => {
    let underway = 0
    let mostUnderway = 0
    let received = 0
    const slow = await openTestServer(engine =>
      interceptWrites(engine, async (documents, write) => {
        underway += 1
        mostUnderway = Math.max(mostUnderway, underway)
        // Meanwhile the client could send all it has.
        for (let turns = 0; turns < 50; turns++) await turn()
        received += documents
        await write()
        underway -= 1
      }),
    )
    let sentCount = 0
    const text = 'x'.repeat(1000)
    const source = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          if (sentCount >= 20_000) return controller.close()
          const batch = Array.from({ length: 100 }, (_, index) => ({
            id: `d${sentCount + index}`,
            title: text,
          }))
          sentCount += 100
          largestLead = Math.max(largestLead, sentCount - received)
          controller.enqueue(new TextEncoder().encode(lines(...batch)))
        },
      },
      { highWaterMark: 0 },
    )
    let largestLead = 0
    const reply = await slow.call('dora', 'POST', novels, source)
    assert.deepEqual(reply.body, {
      accepted: 20_000,
      documents: 20_000,
      replaced: 0,
      rejected: 0,
      errors: [],
    })
    assert.equal(mostUnderway, 1, 'batches are written one after another')
    // Two batches, and the buffers of both sockets: a few MB at 1 KB a document.
    assert.ok(largestLead < 12_000, `the sender was ${largestLead} documents ahead`)
    await slow.close()
  })
  it('answers 503 when the engine fails, and keeps the acknowledged documents', async () => {
    let writes = 0
    const failing = await openTestServer(engine =>
      interceptWrites(engine, (_, write) => {
        writes += 1
        return writes === 2 ? Promise.reject(new EngineError('unavailable', 'the disk is full')) : write()
      }),
    )
    const documents = Array.from({ length: 5000 }, (_, index) => ({ id: `d${index}` }))
    const reply = await failing.call('dora', 'POST', novels, lines(...documents))
    assert.deepEqual([reply.status, reply.body.message], [503, 'the disk is full'])
    assert.equal((await failing.call('ada', 'GET', `${novels}/d0`)).status, 200)
    await failing.close()
  })
})
