import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { Definition } from '@querent/contract/workspace-file'
import { allDocuments, lines, openTestServer } from '#documents/test-server'
import { type Engine, EngineError, type PlanNode } from '#engines/engine'
import { listDrops } from '#storage/engine-drops'
import { listGenerations, makeEngineId } from '#storage/generations'
import { removeWorkspace } from '#storage/workspaces'
import type { Candidates } from './collections.ts'
import { openCollections } from './generations.ts'

const novels = 'books/collections/novels/documents'

/** Takes `copy` through `hold`, so that a test can look while a generation is being built. */
let hold: (copy: () => Promise<void>) => Promise<void> = copy => copy()
/** Ids of those that cannot be opened. */
const broken = new Set<string>()
const holding = (engine: Engine): Engine => ({
  ...engine,
  isOpened: id => !broken.has(id) && (engine.isOpened?.(id) ?? true),
  whenOpened: (id, ...given) =>
    broken.has(id)
      ? Promise.reject(new EngineError('unavailable', 'the stored documents cannot be used'))
      : engine.whenOpened?.(id, ...given),
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
  (await server.search({ ...allDocuments, nodes: [{ kind: 'all' }, ...nodes] })).total

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
  it('that are superseded while all are read stay until that is done', async t => {
    const [before] = await listGenerations(server.storage.db, server.ids.books, 'novels')
    assert.ok(before)
    const { collections, engine } = server
    await collections.keeping(async () => {
      const id = await collections.opening(before)
      // The sixth takes its place among those that are kept; the others take longer than it would stay otherwise.
      for (let n = 0; n < 12; n++) await server.redefine(withField(`field${n}`))
      assert.equal((await engine.list(id, undefined, 10)).length, 3)
    })
    const isGone = () => assert.throws(() => engine.info(makeEngineId(before)))
    await t.waitFor(isGone, { timeout: 10_000 })
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
    const own = await openTestServer(holding)
    await own.call('dora', 'POST', novels, lines({ id: 'a' }))
    const before = own.live()
    hold = () => Promise.reject(new Error('the process ends here'))
    await own.redefine(withField('late')).catch(() => {})
    hold = copy => copy()
    const { storage, engine } = own
    await own.collections.close()
    const again = await openCollections({ storage, engine, graceMs: 0 })
    const live = again.live(own.ids.books, 'novels')
    assert.notEqual(live?.id, before?.id, 'the definition that was committed holds')
    assert.equal((await engine.search(live?.id ?? '', allDocuments, 5000)).total, 1)
    await again.close()
    await own.close()
  })
})

describe('generations that are kept', () => {
  const put = (query: string, ...ids: string[]) =>
    server.call('dora', 'POST', `${novels}?${query}`, lines(...ids.map(id => ({ id, late: id }))))
  const workspaceOf = async () => {
    const workspace = await server.directory.workspace('books')
    assert.ok(workspace)
    return workspace
  }
  const list = async () => server.collections.list(await workspaceOf(), 'novels')
  const shown = async () =>
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
    const generation = await server.collections.answering(await workspaceOf(), 'novels', config)
    const { hits } = await server.engine.search(generation?.id ?? '', allDocuments, 5000)
    return hits.map(({ entity }) => JSON.parse(entity).attributes.late).join(' ')
  }
  let first = 0
  const name = (offset: number) => String(first + offset)

  const keeping = (keepGenerations: number) =>
    server.redefine(definition => ({ ...definition, settings: { ...definition.settings, keepGenerations } }))
  const areDropped = async (left: number) =>
    assert.equal((await listGenerations(server.storage.db, server.ids.books)).length, left)

  it('are the live one, the one before it and the last three others', async t => {
    for (const id of ['1', '2', '3', '4', '5', '6']) await put('replace=true', id)
    const live = Number(server.live()?.name)
    const names = async () => (await list()).map(each => Number(each.name))
    assert.deepEqual(
      await names(),
      [0, 1, 2, 3, 4].map(back => live - back),
    )
    await t.waitFor(() => areDropped(5), { timeout: 10_000 })
  })
  it('include the one to roll back to after any number of staged imports, and of rollbacks', async () => {
    const live = Number(server.live()?.name)
    for (const id of ['s1', 's2', 's3', 's4', 's5', 's6']) await put('replace=true&stage=true', id)
    const kept = [live + 6, live + 5, live + 4, live, live - 1].map(String)
    assert.deepEqual(
      (await list()).map(each => each.name),
      kept,
    )
    assert.equal(await promote(({ promoted }) => promoted[1]), String(live - 1))
    assert.equal(await answers('default'), '5')
    await put('replace=true&stage=true', 's7')
    assert.equal(await promote(({ promoted }) => promoted[1]), String(live))
    assert.equal(await answers('default'), '6')
    await keeping(0)
    assert.deepEqual(
      (await list()).map(each => each.name),
      [live + 7, live, live - 1].map(String),
      'the newest stays too: it may have been staged a moment ago',
    )
    await put('replace=true', '7')
  })
  it('are as many others as the workspace says, each with its number of documents', async t => {
    await keeping(1)
    for (const ids of [['a'], ['b', 'c'], ['d', 'e', 'f'], ['g']]) await put('replace=true', ...ids)
    first = Number(server.live()?.name) - 3
    const wanted = [`${name(3)} promoted 1`, `${name(2)} complete 3`, `${name(1)} complete 2`]
    await t.waitFor(async () => assert.deepEqual(await shown(), wanted), { timeout: 10_000 })
    await t.waitFor(() => areDropped(3), { timeout: 10_000 })
  })
  it('answer again when they are rolled back to, and forth', async () => {
    assert.equal(await promote(({ promoted }) => promoted[1]), name(2))
    assert.equal(await answers('default'), 'd e f')
    assert.equal(await promote(({ promoted }) => promoted[1]), name(3))
    assert.equal(await answers('default'), 'g')
    assert.equal(await promote(() => name(1)), name(1))
    assert.equal(await answers('default'), 'b c')
    await promote(({ latest }) => latest)
    assert.equal(await answers('default'), 'g')
  })
  it('are closed while nothing answers with them, and opened when something does', async t => {
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
    await t.waitFor(onlyLive, { timeout: 10_000 })
    assert.deepEqual(await shown(), [
      `${name(3)} promoted 1`,
      `${name(2)} complete 3`,
      `${name(1)} complete 2`,
    ])
    await promote(() => name(2))
    assert.equal(await answers('default'), 'd e f')
    await t.waitFor(onlyLive, { timeout: 10_000 })
    await promote(() => name(3))
    assert.equal(await answers('default'), 'g')
  })
  it('take the place of one that cannot be opened', async () => {
    assert.equal(await promote(() => name(2)), name(2))
    broken.add(server.live()?.id ?? '')
    assert.equal(await promote(() => name(3)), name(3))
    broken.clear()
    assert.equal(await answers('default'), 'g')
  })
  it('may be staged: complete, and live only when they are promoted', async () => {
    assert.equal((await put('replace=true&stage=true', 'h', 'i')).status, 200)
    assert.equal(await answers('default'), 'g')
    assert.equal((await shown())[0], `${name(4)} complete 2`)
    await server.redefine(definition => ({
      ...definition,
      configurations: { staging: { novels: 'latest' }, old: { novels: name(2) } },
    }))
    assert.deepEqual(
      [await answers('default'), await answers('staging'), await answers('old')],
      ['g', 'h i', 'd e f'],
    )
    const configurations = Object.fromEntries((await list()).map(each => [each.name, each.configurations]))
    assert.deepEqual(configurations[name(4)], ['staging'])
    assert.deepEqual(configurations[name(3)], ['default'])
    assert.deepEqual(configurations[name(2)], ['old'])
    assert.equal(await promote(({ latest }) => latest), name(4))
    assert.equal(await answers('default'), 'h i')
  })
  it('stay while a configuration names them, and for as long', async t => {
    for (const id of ['j', 'k', 'l']) await put('replace=true', id)
    assert.equal(await answers('old'), 'd e f')
    assert.equal((await list()).length, 4)
    await server.redefine(definition => ({ ...definition, configurations: {} }))
    await t.waitFor(async () => assert.equal((await list()).length, 3), { timeout: 10_000 })
  })
  it('get the fields that are defined by the time they answer', async () => {
    await put('replace=true&stage=true', 'm')
    await server.redefine(definition => ({
      ...withField('mark')(definition),
      configurations: { staging: { novels: 'latest' } },
    }))
    assert.equal(await answers('default'), 'l')
    assert.equal(await answers('staging'), 'm', 'what was staged is still the newest')
    const workspace = await workspaceOf()
    const staged = await server.collections.answering(workspace, 'novels', 'staging')
    const rows = await listGenerations(server.storage.db, server.ids.books)
    for (const { id } of [staged, server.live()].filter(each => each !== undefined))
      assert.match(rows.find(row => id.startsWith(row.id))?.spec_json ?? '', /"mark"/)
    await promote(({ promoted }) => promoted[1])
    assert.equal(await answers('default'), 'l')
    await server.call('dora', 'PUT', `${novels}/n`, '{"mark":"x"}')
    assert.equal(await count(having('mark', 'x')), 1, 'one that was made for other fields has them too')
  })
  it('are there again after a restart, with what configurations name', async () => {
    const { storage, engine } = server
    await server.collections.close()
    const opened: string[] = []
    const failing: Engine = {
      ...engine,
      isOpened: () => false,
      async open(id, spec, later) {
        if (later) return engine.open(id, spec, later)
        opened.push(id)
        throw new EngineError('unavailable', 'the stored documents cannot be used')
      },
    }
    const again = await openCollections({ storage, engine: failing, graceMs: 0 })
    assert.ok(
      opened.includes(server.live()?.id ?? ''),
      'one that cannot be opened is tried, and ends no start',
    )
    const workspace = await workspaceOf()
    const named = async (from: typeof again) => [
      await from.answering(workspace, 'novels', 'staging'),
      await from.answering(workspace, 'novels', 'default'),
    ]
    const plain = (all: unknown[]) => JSON.stringify(all, ['id', 'name'])
    assert.equal(plain(await named(again)), plain(await named(server.collections)))
    await again.close()
  })
  it('of a workspace that is removed stay for the time that queries have, and are dropped then', async () => {
    const { storage, engine, ids } = server
    const graceMs = 3_600_000
    const kept = (await listGenerations(storage.db, ids.books)).map(makeEngineId)
    const again = await openCollections({ storage, engine, graceMs })
    const beganAt = Date.now()
    await storage.write(async writer => {
      await again.planRemoval(writer, ids.books)
      await removeWorkspace(writer, { id: ids.books, slug: 'books' })
    })
    const planned = await listDrops(storage.db, 'sqlite', true)
    assert.deepEqual(planned.map(({ id }) => id).toSorted(), kept.toSorted())
    assert.ok(planned.every(({ due_at }) => due_at >= beganAt + graceMs))
    await again.close()
    await (await openCollections({ storage, engine, graceMs })).close()
    assert.deepEqual(await listDrops(storage.db, 'sqlite', true), [])
    for (const id of kept) assert.throws(() => engine.info(id))
  })
})

/** The engine, its writes of documents carried out by `by`. */
const writingBy = (
  engine: Engine,
  by: (documents: number, write: () => Promise<void>) => Promise<void>,
): Engine => ({
  ...engine,
  write: (id, writes) => by(writes.length, () => engine.write(id, writes)),
  async readLines(block, rules) {
    const read = await engine.readLines?.(block, rules)
    assert.ok(read)
    return { ...read, write: (id, others) => by(read.lines, () => read.write(id, others)) }
  },
})

describe('an import into a slow engine', () => {
  it('holds two batches and no more, whatever is sent', async () => {
    let underway = 0
    let most = 0
    let received = 0
    const slow = await openTestServer(engine =>
      writingBy(engine, async (documents, write) => {
        underway += 1
        most = Math.max(most, underway)
        await wait(10)
        received += documents
        await write()
        underway -= 1
      }),
    )
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
    const failing = await openTestServer(engine =>
      writingBy(engine, (_, write) => {
        writes += 1
        return writes === 2 ? Promise.reject(new EngineError('unavailable', 'the disk is full')) : write()
      }),
    )
    const documents = Array.from({ length: 5000 }, (_, at) => ({ id: `d${at}` }))
    const reply = await failing.call('dora', 'POST', novels, lines(...documents))
    assert.deepEqual([reply.status, reply.body.message], [503, 'the disk is full'])
    assert.equal((await failing.call('ada', 'GET', `${novels}/d0`)).status, 200)
    await failing.close()
  })
})
