/** Documents, generations and imports with several nodes on one PostgreSQL and one OpenSearch. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { gunzipSync } from 'node:zlib'
import type { Definition } from '@querent/contract/workspace-file'
import { sql } from 'kysely'
import { type OpenSearch, startTestOpenSearch } from '#bench/peers/opensearch'
import { openBackups } from '#server/backup/write'
import type { Collections } from '#server/collections/collections'
import { openCollections } from '#server/collections/generations'
import { type Engine, EngineError, type Plan } from '#server/engines/engine'
import { openOpenSearchEngine } from '#server/engines/opensearch/opensearch'
import { Problem } from '#server/errors'
import { allKeys, openStorage, type Storage } from '#server/storage/db'
import { type Directory, openDirectory } from '#server/storage/directory'
import { listDrops } from '#server/storage/engine-drops'
import { createEngineVersions } from '#server/storage/engine-versions'
import { listGenerations } from '#server/storage/generations'
import type { Locks } from '#server/storage/locks'
import { freshDatabase } from '#server/storage/test-postgres'
import { createWorkspace, saveDefinition, type WorkspaceRow } from '#server/storage/workspaces'
import { patienceMs, waitUntil } from '#server/test-wait'
import { startTcpProxy } from '#tests/support/tcp-proxy'

const graceMs = 3000
const queryMs = 2000

let openSearch: OpenSearch
before(async () => {
  openSearch = await startTestOpenSearch()
})
after(() => openSearch[Symbol.asyncDispose]())

/** The document parts of a `querent serve` process. */
interface Node {
  storage: Storage
  engine: Engine
  collections: Collections
  directory: Directory
  /** Resolves after two more rounds of its reconcile loop, each a grace period after the one before. */
  twoRounds(): Promise<unknown>
  close(): Promise<void>
}

/** Each round reads the table of drops twice. */
const countDropReads = (storage: Storage) => {
  let reads = 0
  const db = storage.db.withPlugin({
    transformQuery({ node }) {
      if (node.kind === 'SelectQueryNode' && JSON.stringify(node.from).includes('"engine_drops"')) reads += 1
      return node
    },
    transformResult: async ({ result }) => result,
  })
  return { storage: { ...storage, db }, reads: () => reads }
}

const definition: Definition = {
  workspace: 'shop',
  collections: {
    things: { fields: { title: { type: 'text' } } },
    sets: { fields: { set: { type: 'keyword' } } },
  },
}

interface NodeOptions {
  wrap?: (engine: Engine, storage: Storage) => Engine
  locks?: (locks: Locks) => Locks
  /** Address of another database. */
  address?: string
  graceMs?: number
}

/** Nodes that start at the same moment on a new, empty database, and a workspace. */
const openNodes = async (
  count: number,
  wrap: (engine: Engine, node: number) => Engine = engine => engine,
) => {
  const connection = await freshDatabase()
  const prefix = `nodes-${randomBytes(4).toString('hex')}-`
  const openNode = async (options: NodeOptions): Promise<Node> => {
    const storage = await openStorage({ connection: options.address ?? connection })
    assert.ok(storage.locks)
    const locks = options.locks?.(storage.locks) ?? storage.locks
    const settings = { nodes: [openSearch.url], prefix, shards: 1, replicas: 0 }
    const plain = await openOpenSearchEngine(settings, createEngineVersions(storage))
    const engine = options.wrap?.(plain, storage) ?? plain
    const observed = countDropReads(storage)
    const collections = await openCollections({
      storage: observed.storage,
      engine,
      locks,
      graceMs: options.graceMs ?? graceMs,
    })
    const twoRounds = () => {
      const readsBefore = observed.reads()
      // The round that runs now may have read them already.
      return waitUntil(() => observed.reads() >= readsBefore + 6)
    }
    const directory = openDirectory(storage, 30_000)
    const close = async () => {
      directory.close()
      await collections.close()
      await engine.close().catch(() => {})
      await storage.close()
    }
    return { storage, engine, collections, directory, twoRounds, close }
  }
  const nodes = await Promise.all(
    Array.from({ length: count }, (_, index) => openNode({ wrap: engine => wrap(engine, index) })),
  )
  const [first] = nodes
  assert.ok(first)
  const workspace = await first.storage.write(writer => createWorkspace(writer, definition))
  assert.ok(workspace)
  await first.collections.reconcile(workspace.id)
  /** Lists the names of the existing indexes. */
  const indexes = async () =>
    Object.keys((await openSearch.call('GET', `/${prefix}*/_alias`)) as Record<string, unknown>)
  return {
    nodes,
    first,
    id: workspace.id,
    connection,
    indexes,
    async add(options: NodeOptions): Promise<Node> {
      const node = await openNode(options)
      nodes.push(node)
      return node
    },
    close: () => Promise.all(nodes.map(node => node.close())),
  }
}

/** Does the same as `querent apply`. */
const apply = async ({ storage, collections }: Node, id: string, definition: Definition) => {
  await collections.redefine(id, definition, promote =>
    storage.write(async writer => {
      await saveDefinition(writer, id, definition)
      await promote(writer)
    }),
  )
  await collections.reconcile(id)
}

/** Both collections with an additional field. */
const withField = (name: string): Definition => ({
  ...definition,
  collections: Object.fromEntries(
    Object.entries(definition.collections ?? {}).map(([collection, { fields }]) => [
      collection,
      { fields: { ...fields, [name]: { type: 'keyword' } } },
    ]),
  ),
})

/** Breaks the connections that hold the locks of all nodes. Other test files have their own locks in the same cluster. */
const loseLocks = ({ storage }: Node) =>
  sql`select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'
    and database = (select oid from pg_database where datname = current_database())`.execute(storage.db)

const makePlan = (field: string | undefined): Plan => ({
  nodes: [{ kind: 'all' }],
  restrictions: [],
  order: [],
  cutoff: 0,
  offset: 0,
  count: 1000,
  statistics: false,
  // Fails in a generation without the field.
  ...(field === undefined ? {} : { facet: { field, offset: 0, count: 10, selected: [] } }),
})

/** Searches like a query: with the definition that the node has, in the matching generation. */
const search = async ({ directory, collections, engine }: Node, collection: string) => {
  const workspace: WorkspaceRow | undefined = await directory.workspace('shop')
  assert.ok(workspace)
  const generation = await collections.resolve(workspace, collection, 'default')
  assert.ok(generation)
  const fields = Object.entries(workspace.definition.collections?.[collection]?.fields ?? {})
  const [field] = fields.findLast(([, { type }]) => type === 'keyword') ?? []
  const { hits } = await engine.search(generation.id, makePlan(field), queryMs)
  return hits.map(({ entity }): { id: string; attributes: { set: string } } => JSON.parse(entity))
}
const document = (id: string, attributes: Record<string, string>) => ({
  id,
  entity: JSON.stringify({ id, class: ['thing'], attributes }),
})

/** Returns a generator that gives the same numbers for the same seed (mulberry32). */
const randomFrom = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) % below
  }
}

describe('three nodes that start at the same moment on an empty database', () => {
  let shop: Awaited<ReturnType<typeof openNodes>>
  before(async () => {
    shop = await openNodes(3)
  })
  after(() => shop.close())
  const nodeAt = (index: number): Node => shop.nodes[index % shop.nodes.length] ?? assert.fail()

  it('lose no write, serve no half, and fail no query, whatever each of them does at the same time', async t => {
    const seed = Number(process.env.QUERENT_TEST_SEED ?? randomBytes(3).readUIntBE(0, 3))
    t.diagnostic(`QUERENT_TEST_SEED=${seed}`)
    /** The expected content of `things` at the end. */
    const model = new Map<string, string>()
    const setSize = 20
    const acknowledged = new Set<string>()
    const replaceSet = ({ collections, engine }: Node, set: string, stage = false) => {
      const puts = Array.from({ length: setSize }, (_, index) => ({
        put: document(`https://a.example/${index}`, { set }),
      }))
      return collections.replace(shop.id, 'sets', live => engine.write(live, puts), stage)
    }
    // The first generation of a collection has no set, and is not promoted again.
    const empty = shop.first.collections.live(shop.id, 'sets')?.name
    await replaceSet(shop.first, 'first')
    acknowledged.add('first')
    const areFilled = async () => {
      for (const node of shop.nodes) assert.equal((await search(node, 'sets')).length, setSize)
    }
    await t.waitFor(areFilled, { timeout: patienceMs })
    let isOver = false

    /** Each writer has its own ids, so that the result of every acknowledgment is certain. */
    const writer = async (number: number) => {
      const random = randomFrom(seed + number)
      for (let round = 0; !isOver; round++) {
        const { collections, engine } = nodeAt(random(3))
        const ids = Array.from({ length: 1 + random(4) }, () => `https://a.example/${number}/${random(12)}`)
        const value = `${number}.${round}`
        const kind = random(10)
        if (kind < 2) {
          const writes = ids.map(id => ({ delete: id }))
          await collections.write(shop.id, 'things', live => engine.write(live, writes))
          for (const id of ids) model.delete(id)
          continue
        }
        const puts = ids.map(id => ({ put: document(id, { title: value }) }))
        const writeDocuments = async (live: string) => engine.write(live, puts)
        if (kind < 3 && round % 3 === 0)
          await collections.importAtomically(shop.id, 'things', writeDocuments, async () => {})
        else await collections.write(shop.id, 'things', writeDocuments, kind < 4)
        for (const id of ids) model.set(id, value)
      }
    }
    const replacer = async (number: number) => {
      const random = randomFrom(seed - number)
      for (let round = 0; round < 2; round++) {
        const setName = `${number}-${round}`
        await replaceSet(nodeAt(random(3)), setName, random(3) === 0)
        acknowledged.add(setName)
        const choose = (complete: string[]) => {
          const filled = complete.filter(name => name !== empty)
          return filled[random(filled.length)] ?? assert.fail('there is none')
        }
        const promote = nodeAt(random(3)).collections.promote(
          shop.id,
          'sets',
          ({ complete }) => choose(complete),
          async () => {},
        )
        // With several concurrent calls, one may choose a generation that another drops.
        await promote.catch(error => assert.equal(error instanceof Problem && error.status, 503))
      }
    }
    const applier = async (number: number) => {
      for (let round = 0; round < 2; round++)
        await apply(nodeAt(number + round), shop.id, withField(`f${number}${round}`))
    }
    let queries = 0
    const runQueries = async (number: number) => {
      for (; !isOver; queries++) {
        await search(nodeAt(number), 'things')
        const sets = await search(nodeAt(number), 'sets')
        assert.equal(sets.length, setSize)
        assert.ok(sets.every(hit => hit.attributes.set === sets[0]?.attributes.set))
      }
    }
    const running = [0, 1, 2].flatMap(number => [runQueries(number), writer(number)])
    const changing = Promise.all([replacer(1), replacer(2), applier(1), applier(2)])
    const markOver = () => {
      isOver = true
    }
    changing.then(markOver, markOver)
    await Promise.all([changing, ...running]).finally(markOver)
    t.diagnostic(`${queries} queries`)

    const expectedIds = [...model.keys()].toSorted()
    for (const node of shop.nodes) {
      await node.collections.write(shop.id, 'things', live => node.engine.refresh(live))
      const ids = (await search(node, 'things')).map(({ id }) => id)
      assert.deepEqual(ids.toSorted(), expectedIds)
      const sets = (await search(node, 'sets')).map(hit => hit.attributes.set)
      assert.ok(acknowledged.has(sets[0] ?? ''), `${sets[0]} is live`)
    }
    const [live] = shop.nodes.map(node => node.collections.live(shop.id, 'things')?.id)
    assert.ok(shop.nodes.every(node => node.collections.live(shop.id, 'things')?.id === live))
    const { engine } = nodeAt(0)
    for (const [id, value] of model)
      assert.equal(JSON.parse((await engine.get(live ?? '', id)) ?? '{}').attributes?.title, value)
  })

  it('leave nothing in the engine but the generations that are kept', async t => {
    const { storage } = nodeAt(0)
    const areDropped = async () => {
      const rows = await listGenerations(storage.db, shop.id)
      assert.ok(rows.every(({ state }) => state === 'ready'))
      assert.ok(rows.length <= 2 * 6, `${rows.length} generations`)
      assert.equal((await shop.indexes()).length, rows.length)
    }
    await t.waitFor(areDropped, { timeout: patienceMs, interval: 200 })
  })

  it('see what another has written without asking for it, under the same version', async t => {
    const [one, otherNode] = [nodeAt(0), nodeAt(1)]
    const putNew = { put: document('https://a.example/new', { title: 'new' }) }
    await one.collections.write(shop.id, 'things', async live => {
      await one.engine.write(live, [putNew])
      await one.engine.refresh(live)
    })
    const live = one.collections.live(shop.id, 'things')?.id ?? ''
    const isSeen = async () => {
      const ids = (await search(otherNode, 'things')).map(({ id }) => id)
      assert.ok(ids.includes(putNew.put.id))
      assert.equal(otherNode.engine.version(live), one.engine.version(live))
    }
    await t.waitFor(isSeen, { timeout: patienceMs, interval: 50 })
  })

  it('drop unfinished generations of a dead node, and none of a living node', async t => {
    const dying = await openNodes(2)
    const [one, other] = dying.nodes
    assert.ok(one && other)
    const [filling, dead] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const replacing = (node: Node, until: Promise<void>) =>
      node.collections.replace(dying.id, 'sets', async live => {
        await node.engine.write(live, [{ put: document('https://a.example/1', { set: 'x' }) }])
        await until
      })
    const survivingReplacement = replacing(other, filling.promise)
    const lostReplacement = replacing(one, dead.promise)
    const building = async () =>
      (await listGenerations(other.storage.db, dying.id, 'sets')).filter(({ state }) => state === 'building')
    await t.waitFor(async () => assert.equal((await building()).length, 2), { timeout: patienceMs })
    await other.twoRounds()
    assert.equal((await building()).length, 2)
    // Its sessions end, like those of a killed process.
    await one.storage.locks?.close()
    await t.waitFor(async () => assert.equal((await building()).length, 1), { timeout: patienceMs })
    filling.resolve()
    await survivingReplacement
    assert.equal((await search(other, 'sets')).length, 1)
    dead.resolve()
    await assert.rejects(lostReplacement, /OpenSearch has no index/)
    await dying.close()
  })

  it('commit no exchange when the lock is lost while the change is written', async () => {
    const losing = await openNodes(2)
    const [one, otherNode] = losing.nodes
    assert.ok(one && otherNode)
    const liveBefore = one.collections.live(losing.id, 'things')?.id
    const putMeanwhile = { put: document('https://a.example/1', { title: 'meanwhile' }) }
    const late = withField('late')
    const applying = one.collections.redefine(losing.id, late, promote =>
      one.storage.write(async writer => {
        await saveDefinition(writer, losing.id, late)
        await promote(writer)
        await loseLocks(otherNode)
        await otherNode.collections.write(losing.id, 'things', live =>
          otherNode.engine.write(live, [putMeanwhile]),
        )
      }),
    )
    await assert.rejects(applying, error => error instanceof Problem && error.status === 503)
    assert.equal(one.collections.live(losing.id, 'things')?.id, liveBefore)
    await losing.close()
  })

  it('commit no exchange after the lock that it leans on was lost', async () => {
    const { promise: copying, resolve: isCopying } = Promise.withResolvers<void>()
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const losing = await openNodes(2, (engine, index) =>
      index === 0
        ? {
            ...engine,
            async copy(source, target) {
              await engine.copy(source, target)
              isCopying()
              await released
            },
          }
        : engine,
    )
    const [one, otherNode] = losing.nodes
    assert.ok(one && otherNode)
    const liveBefore = one.collections.live(losing.id, 'things')?.id
    const applying = apply(one, losing.id, withField('late'))
    await copying
    await loseLocks(otherNode)
    // Nobody holds it back any more, so its writes must not be lost.
    const putMeanwhile = { put: document('https://a.example/1', { title: 'meanwhile' }) }
    await otherNode.collections.write(losing.id, 'things', live =>
      otherNode.engine.write(live, [putMeanwhile]),
    )
    release()
    await assert.rejects(applying, error => error instanceof Problem && error.status === 503)
    assert.equal(one.collections.live(losing.id, 'things')?.id, liveBefore)
    await apply(otherNode, losing.id, withField('late'))
    assert.equal((await search(otherNode, 'things')).length, 1)
    await losing.close()
  })

  it('give a whole backup of what there was, while another node replaces and drops it', async t => {
    const { promise: reading, resolve: isReading } = Promise.withResolvers<void>()
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const backedUp = await openNodes(2, (engine, index) =>
      index === 0
        ? {
            ...engine,
            async list(...args) {
              isReading()
              await released
              return engine.list(...args)
            },
          }
        : engine,
    )
    const [one, otherNode] = backedUp.nodes
    assert.ok(one && otherNode)
    const fill = (collection: string, set: string) =>
      otherNode.collections.replace(backedUp.id, collection, live =>
        otherNode.engine.write(live, [{ put: document('https://a.example/1', { set }) }]),
      )
    for (const collection of ['sets', 'things']) await fill(collection, 'before')
    const keyring = { derive: () => Buffer.alloc(32) }
    const ignore = async () => {}
    const record = { requestId: '', start: ignore, incomplete: ignore, failed: ignore }
    const bytes = buffer(await openBackups({ ...one, keyring, ownKey: undefined }).make(record))
    await reading
    const indexesBefore = await backedUp.indexes()
    await fill('things', 'after')
    await apply(otherNode, backedUp.id, { ...definition, collections: { things: { fields: {} } } })
    const due = () => listDrops(otherNode.storage.db, 'postgres', false)
    await t.waitFor(async () => assert.ok((await due()).length > 0), { timeout: patienceMs, interval: 100 })
    await otherNode.twoRounds()
    const now = await backedUp.indexes()
    assert.deepEqual(
      indexesBefore.filter(index => !now.includes(index)),
      [],
    )
    release()
    const lines = gunzipSync(await bytes)
      .toString()
      .trimEnd()
      .split('\n')
    const documents = lines.flatMap(line => JSON.parse(line).document?.[1] ?? [])
    assert.deepEqual(
      documents.map(entity => JSON.parse(entity).attributes.set),
      ['before', 'before'],
    )
    assert.equal(JSON.parse(lines.at(-1) ?? '').end.documents, 2)
    await t.waitFor(async () => assert.equal((await due()).length, 0), { timeout: patienceMs, interval: 100 })
    await backedUp.close()
  })
})

describe('a node', () => {
  /** Longer than the tests run, so no round corrects a missed notification. */
  const longMs = 60_000
  type Shop = Awaited<ReturnType<typeof openNodes>>
  const promoteNext = async ({ first: { collections, engine }, id }: Shop) => {
    const putNext = { put: document('https://a.example/next', { title: 'next' }) }
    await collections.replace(id, 'things', live => engine.write(live, [putNext]))
  }
  const assertSameLive = (shop: Shop, node: Node) => () =>
    assert.equal(
      node.collections.live(shop.id, 'things')?.id,
      shop.first.collections.live(shop.id, 'things')?.id,
    )
  const waitForChange = (storage: Storage, key: string): Promise<void> =>
    new Promise(resolve => {
      const stop = storage.onChange(notice => {
        if (notice.topic !== 'generations' || notice.key !== key) return
        stop()
        resolve()
      })
    })

  it('answers with what another promoted while it was cut off from the database', async t => {
    const shop = await openNodes(1)
    const { hostname, port } = new URL(shop.connection)
    await using proxy = await startTcpProxy({ host: hostname, port: Number(port) })
    const node = await shop.add({ address: proxy.rewriteUrl(shop.connection), graceMs: longMs })
    const reconnected = waitForChange(node.storage, allKeys)
    proxy.refuse()
    await promoteNext(shop)
    // It has sent its question and has no reply yet.
    await t.waitFor(() => assert.ok(node.storage.silentMs() > 1000), { timeout: patienceMs })
    proxy.pass()
    await reconnected
    await t.waitFor(assertSameLive(shop, node), { timeout: patienceMs })
    await shop.close()
  })

  it('keeps answering with the previous generation while it cannot open the promoted one, writes only to the promoted one, and switches once it opens', async t => {
    const shop = await openNodes(1)
    let isAway = false
    const { promise: openRefused, resolve: isRefused } = Promise.withResolvers<void>()
    const refusing = (engine: Engine): Engine => ({
      ...engine,
      async open(id, spec, later) {
        if (!isAway || later) return engine.open(id, spec, later)
        isRefused()
        throw new EngineError('unavailable', 'the engine is away')
      },
    })
    const node = await shop.add({ wrap: refusing, graceMs: 200 })
    // Its rounds have checked the workspace and have no reason to check it again.
    await node.twoRounds()
    isAway = true
    const liveBefore = node.collections.live(shop.id, 'things')?.id ?? ''
    await promoteNext(shop)
    await openRefused
    // Longer than the grace period, after which unused generations are closed.
    await node.twoRounds()
    assert.equal(node.collections.live(shop.id, 'things')?.id, liveBefore)
    assert.deepEqual(await search(node, 'things'), [])
    const writtenId = await node.collections.write(shop.id, 'things', async id => id)
    assert.equal(writtenId, shop.first.collections.live(shop.id, 'things')?.id)
    isAway = false
    await t.waitFor(assertSameLive(shop, node), { timeout: patienceMs })
    assert.equal((await search(node, 'things')).length, 1)
    await shop.close()
  })

  it('answers with what another promoted while it was starting', async t => {
    const shop = await openNodes(1)
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const { promise: opening, resolve: isOpening } = Promise.withResolvers<Storage>()
    const holding = (engine: Engine, storage: Storage): Engine => ({
      ...engine,
      async open(...args) {
        isOpening(storage)
        await released
        return engine.open(...args)
      },
    })
    const starting = shop.add({ wrap: holding, graceMs: longMs })
    const changeReceived = waitForChange(await opening, shop.id)
    await promoteNext(shop)
    await changeReceived
    release()
    await t.waitFor(assertSameLive(shop, await starting), { timeout: patienceMs })
    await shop.close()
  })

  it('brings a workspace in line that another was at when it died', async t => {
    let tries = 0
    const counting = (locks: Locks): Locks => ({
      ...locks,
      async tryTake(key, mode) {
        const lock = await locks.tryTake(key, mode)
        if (key.startsWith('reconcile') && !lock) tries += 1
        return lock
      },
    })
    const shop = await openNodes(1)
    await shop.first.close()
    shop.nodes.pop()
    const node = await shop.add({ locks: counting, graceMs: 200 })
    const dying = await openStorage({ connection: shop.connection })
    await dying.locks?.take(`reconcile ${shop.id}`, 'exclusive')
    await dying.write(writer => saveDefinition(writer, shop.id, withField('late')))
    const liveBefore = node.collections.live(shop.id, 'things')?.id
    await t.waitFor(() => assert.ok(tries > 0), { timeout: patienceMs })
    await dying.close()
    const assertReconciled = () => assert.notEqual(node.collections.live(shop.id, 'things')?.id, liveBefore)
    await t.waitFor(assertReconciled, { timeout: patienceMs })
    await shop.close()
  })
})
