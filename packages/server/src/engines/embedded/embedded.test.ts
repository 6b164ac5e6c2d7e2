import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, open, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, it, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import type { Engine, GenerationSpec, Plan, PlanNode, RebuildEvent } from '#engines/engine'
import { engineSuite } from '#engines/suite/engine.suite'
import {
  entity,
  library,
  makePlan,
  match,
  matchAll,
  putDocument,
  withCode,
} from '#engines/suite/engine.suite.plans'
import { chooseRuns } from '#test-runs'
import { waitUntil } from '#test-wait'
import type { StartReport } from './embedded.crash.ts'
import { openEmbeddedEngine } from './embedded.ts'

const lives = chooseRuns(15, 50)
const batchSize = 50
/** Number of documents of the previous batch that each batch writes again. */
const rewritten = 10

engineSuite('embedded', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'querent-engine-'))
  const engine = await openEmbeddedEngine({ dataDir })
  return {
    engine,
    close: async () => {
      await engine.close()
      await rm(dataDir, { recursive: true })
    },
  }
})

describe('embedded: durability', () => {
  it('vectors that an earlier version stored as text are found, and come back as before', async t => {
    const dataDir = await dataDirFor(t)
    const spec: GenerationSpec = {
      fields: [{ name: 'v', type: 'vector', dimensions: 3, metric: 'dot' }],
    }
    const vectors = {
      a: [0.1, -0.25, 0.000012345],
      b: [
        [1, 2, 3],
        [0.03480297327041626, 5e-7, -7],
      ],
      c: [0.1234567890123456, 1, 2],
    }
    const documents = Object.entries(vectors).map(([id, v]) => ({ put: { id, entity: entity(id, { v }) } }))
    await withEngine(dataDir, async engine => {
      await engine.open('g', spec)
      await engine.write('g', documents)
    })
    const path = join(dataDir, 'g', 'documents.db')
    const isText = () => {
      const database = new Database(path)
      const types = database.prepare('SELECT id, typeof(entity) AS type FROM revisions').all() as {
        id: string
        type: string
      }[]
      database.close()
      return Object.fromEntries(types.map(({ id, type }) => [id, type === 'text']))
    }
    assert.deepEqual(isText(), { a: false, b: false, c: true })
    const check = (engine: Engine) => checkVectors(engine, vectors)
    await withEngine(dataDir, async engine => {
      await engine.open('g', spec)
      await check(engine)
    })
    const database = new Database(path)
    const update = database.prepare('UPDATE revisions SET entity = ? WHERE id = ?')
    for (const { put } of documents) update.run(put.entity, put.id)
    database.close()
    await rm(join(dataDir, 'g', 'index'), { recursive: true })
    await withEngine(dataDir, async engine => {
      await engine.open('g', spec)
      await check(engine)
      await engine.open('copy', spec)
      await engine.copy('g', 'copy')
      for (const { put } of documents) assert.equal(await engine.get('copy', put.id), put.entity)
    })
  })

  it('a restart keeps documents, index and version', async t => {
    const dataDir = await dataDirFor(t)
    const version = await withEngine(dataDir, async engine => {
      await engine.open('g', library)
      await engine.write('g', [
        putDocument('a', { title: 'wing' }),
        putDocument('b', { title: 'bird' }),
        { delete: 'b' },
      ])
      await engine.refresh('g')
      await engine.write('g', [putDocument('c', { title: 'late wing' })])
      return engine.info('g').version
    })
    await withEngine(dataDir, async engine => {
      await engine.open('g', library)
      assert.ok(engine.info('g').version >= version)
      assert.deepEqual(await searchIds(engine, makePlan([match('wing')])), ['a', 'c'])
      assert.equal(await engine.get('g', 'b'), undefined)
    })
  })

  it(`after each of ${lives} kills at random moments, a search finds every acknowledged document once`, async t => {
    const dataDir = await dataDirFor(t)
    const seed = Date.now() % 1_000_000
    t.diagnostic(`seed ${seed}`)
    const random = randomNumbers(seed)
    let acknowledged = 0
    let next = spawnWriter(dataDir)
    t.after(() => next.kill('SIGKILL'))
    for (let life = 0; life <= lives; life++) {
      const child = next
      t.after(() => child.kill('SIGKILL'))
      // Start the next process meanwhile; it waits for a line.
      next = spawnWriter(dataDir)
      const exit = once(child, 'exit')
      const kill = () => setTimeout(() => child.kill('SIGKILL'), random() * 15)
      const lines = Math.floor(random() * 12)
      // Sometimes kill it while it opens, except the last one, which has to report.
      if (lines === 0 && life < lives) kill()
      child.stdin.write('go\n')
      let linesRead = 0
      for await (const line of createInterface({ input: child.stdout })) {
        if (linesRead++ === 0) acknowledged = checkReport(JSON.parse(line), acknowledged)
        else acknowledged = Number(line)
        if (linesRead === Math.max(lines, 1)) kill()
      }
      await exit
      assert.equal(child.signalCode, 'SIGKILL')
    }
    assert.ok(acknowledged > lives)
  })

  for (const [damage, harm] of [
    ['is gone', (index: string) => rm(index, { recursive: true })],
    [
      'has a file of rubbish',
      async (index: string) => writeFile(await largest(index), 'rubbish'.repeat(500)),
    ],
    ['has a byte that was flipped', async (index: string) => flipByte(await largest(index))],
    ['has a file cut short', async (index: string) => truncate(await largest(index), 10)],
    ['has lost a file', async (index: string) => rm(await largest(index))],
    ['has no readable commit', (index: string) => writeFile(join(index, 'meta.json'), '{')],
  ] as const) {
    it(`the engine rebuilds an index that ${damage}`, async t => {
      const dataDir = await dataDirFor(t)
      const version = await withEngine(dataDir, async engine => {
        await engine.open('g', library)
        await engine.write(
          'g',
          Array.from({ length: 200 }, (_, index) =>
            putDocument(`d${index}`, { title: `wing number ${index}`, tag: `t${index % 7}` }),
          ),
        )
        await engine.refresh('g')
        await engine.write('g', [putDocument('d0', { title: 'wing again' }), { delete: 'd1' }])
        await engine.refresh('g')
        return engine.info('g').version
      })
      await harm(join(dataDir, 'g', 'index'))
      await withEngine(dataDir, async engine => {
        await engine.open('g', library)
        assert.equal((await engine.search('g', makePlan([match('wing')]), 10_000)).total, 199)
        assert.deepEqual(await searchIds(engine, makePlan([match('again')])), ['d0'])
        assert.ok(engine.info('g').version >= version)
      })
    })
  }

  it('while a large index is rebuilt, searches are rejected and progress, reason and end are reported', async t => {
    const dataDir = await dataDirFor(t)
    await withEngine(dataDir, async engine => {
      await engine.open('g', library)
      await writeMany(engine, largeIndexSize)
      await engine.refresh('g')
    })
    await rm(join(dataDir, 'g', 'index'), { recursive: true })
    await withEngine(dataDir, async engine => {
      await engine.open('g', library)
      await assert.rejects(engine.search('g', makePlan([matchAll]), 10_000), beingRebuilt)
      const { state, documents } = engine.info('g')
      assert.ok(
        typeof state === 'object' &&
          state.rebuilding.done < largeIndexSize &&
          state.rebuilding.total === largeIndexSize,
      )
      assert.equal(documents, largeIndexSize)
      await assert.rejects(engine.deleteMatching('g', makePlan([matchAll])), beingRebuilt)
      // Reads and writes of documents succeed meanwhile.
      await engine.write('g', [
        putDocument('d1', { title: 'changed wing' }),
        putDocument('new', { title: 'wing' }),
        { delete: 'd2' },
      ])
      assert.equal(await engine.get('g', 'd1'), entity('d1', { title: 'changed wing' }))
      const events: RebuildEvent[] = []
      const done = new Promise<void>(resolve =>
        engine.onRebuild(event => {
          events.push(event)
          if (event.state === 'done') resolve()
        }),
      )
      await engine.refresh('g')
      assert.equal(
        (await engine.search('g', { ...makePlan([match('wing')]), count: 0 }, 10_000)).total,
        largeIndexSize,
      )
      assert.deepEqual(await searchIds(engine, makePlan([match('changed')])), ['d1'])
      assert.equal(engine.info('g').state, 'ready')
      await done
      assert.deepEqual(events[0], {
        generation: 'g',
        documents: largeIndexSize,
        state: 'started',
        reason: 'it is missing',
      })
      assert.deepEqual(
        events.map(event => event.state),
        ['started', 'done'],
      )
    })
  })

  it('an engine that is closed while it rebuilds an index finishes at the next start', async t => {
    const dataDir = await dataDirFor(t)
    await withEngine(dataDir, async engine => {
      await engine.open('g', library)
      await writeMany(engine, largeIndexSize)
      await engine.refresh('g')
    })
    await rm(join(dataDir, 'g', 'index'), { recursive: true })
    const waiting = await withEngine(dataDir, async engine => {
      await engine.open('g', library)
      return Promise.allSettled([engine.refresh('g'), engine.close()])
    })
    assert.ok(waiting[0].status === 'rejected' && withCode('unavailable')(waiting[0].reason))
    await withEngine(dataDir, async engine => {
      await engine.open('g', library)
      await engine.refresh('g')
      assert.equal(
        (await engine.search('g', { ...makePlan([match('wing')]), count: 0 }, 10_000)).total,
        largeIndexSize,
      )
    })
  })

  it('the engine rebuilds an index that is lost while in use', async t => {
    const dataDir = await dataDirFor(t)
    await withEngine(dataDir, async engine => {
      await engine.open('g', library)
      await engine.write('g', [putDocument('a', { title: 'wing' })])
      await engine.refresh('g')
      const { version } = engine.info('g')
      await rm(join(dataDir, 'g', 'index'), { recursive: true })
      await engine.write('g', [putDocument('b', { title: 'wing' }), { delete: 'a' }])
      await assert.rejects(engine.refresh('g'), beingRebuilt)
      await engine.refresh('g')
      assert.deepEqual(await searchIds(engine, makePlan([match('wing')])), ['b'])
      assert.ok(engine.info('g').version > version)
    })
  })

  it('the engine rebuilds an index that is damaged while in use once a search hits the damage', async t => {
    const dataDir = await dataDirFor(t)
    await withEngine(dataDir, async engine => {
      await engine.open('g', library)
      await writeMany(engine, 300)
      await engine.refresh('g')
      const index = join(dataDir, 'g', 'index')
      for (const name of await readdir(index))
        if (/\.(term|idx|fast|pos)$/.test(name)) await overwrite(join(index, name))
      await assert.rejects(engine.search('g', makePlan([match('wing')]), 10_000), beingRebuilt)
      await engine.refresh('g')
      assert.equal((await engine.search('g', makePlan([match('wing')]), 10_000)).total, 300)
    })
  })

  it('after the last write, the folder keeps one segment and deletes the merged ones', async t => {
    const dataDir = await dataDirFor(t)
    await withEngine(dataDir, async engine => {
      await engine.open('g', library)
      for (const id of ['a', 'b', 'c']) {
        await engine.write('g', [putDocument(id, { title: `wing ${id}` })])
        await engine.refresh('g')
      }
      const countSegments = async () =>
        (await readdir(join(dataDir, 'g', 'index'))).filter(name => name.endsWith('.idx')).length
      assert.equal(await countSegments(), 3)
      await waitUntil(async () => (await countSegments()) === 1)
      assert.deepEqual(await searchIds(engine, makePlan([match('wing')])), ['a', 'b', 'c'])
    })
  })

  it('opening deletes the files of a merge that never ended', async t => {
    const dataDir = await dataDirFor(t)
    await withEngine(dataDir, async engine => {
      await engine.open('g', library)
      await engine.write('g', [putDocument('a', { title: 'wing' })])
      await engine.refresh('g')
    })
    const index = join(dataDir, 'g', 'index')
    const unfinished = `${'0'.repeat(32)}.store`
    await writeFile(join(index, unfinished), 'half a segment')
    const managed: string[] = JSON.parse(await readFile(join(index, '.managed.json'), 'utf8'))
    await writeFile(join(index, '.managed.json'), JSON.stringify([...managed, unfinished]))
    await withEngine(dataDir, async engine => {
      await engine.open('g', library)
      assert.ok(!(await readdir(index)).includes(unfinished))
      assert.deepEqual(await searchIds(engine, makePlan([match('wing')])), ['a'])
    })
  })

  it('writes acknowledged while the index is locked are found once it is unlocked', async t => {
    const dataDir = await dataDirFor(t)
    await withEngine(dataDir, async engine => {
      await engine.open('g', library)
      await engine.write('g', [putDocument('a', { title: 'wing' })])
      await engine.refresh('g')
    })
    await withEngine(dataDir, async engine => {
      await engine.open('g', library)
      const release = await lockIndex(join(dataDir, 'g', 'index'))
      t.after(release)
      await engine.write('g', [putDocument('b', { title: 'wing' }), { delete: 'a' }])
      await assert.rejects(engine.refresh('g'), withCode('unavailable'))
      assert.equal(engine.info('g').state, 'ready')
      assert.deepEqual(await searchIds(engine, makePlan([match('wing')])), ['a'])
      await release()
      await engine.write('g', [putDocument('c', { title: 'wing' })])
      await engine.refresh('g')
      assert.deepEqual(await searchIds(engine, makePlan([match('wing')])), ['b', 'c'])
    })
  })

  it('unreadable documents are unavailable and do not end the process', async t => {
    const dataDir = await dataDirFor(t)
    await withEngine(dataDir, async engine => {
      await engine.open('g', library)
      await engine.write('g', [putDocument('a', {})])
    })
    await writeFile(join(dataDir, 'g', 'documents.db'), 'rubbish'.repeat(5000))
    await withEngine(dataDir, engine => assert.rejects(engine.open('g', library), withCode('unavailable')))
  })

  it('a generation is open in one engine at a time', async t => {
    const dataDir = await dataDirFor(t)
    await withEngine(dataDir, async engine => {
      await engine.open('g', library)
      await withEngine(dataDir, second => assert.rejects(second.open('g', library), withCode('unavailable')))
    })
  })
})

describe('embedded: rejected calls', () => {
  it('the error names an unsupported plan node or an unknown field', async t => {
    const dataDir = await dataDirFor(t)
    await withEngine(dataDir, async engine => {
      await engine.open('g', library)
      const cases: [PlanNode, RegExp][] = [
        [{ kind: 'nearest', field: 'tag', vector: [1], limit: 1, minimum: 0 }, /`tag`/],
        [
          {
            kind: 'mix',
            parts: [
              { weight: 1, node: { kind: 'nearest', field: 'nowhere', vector: [1], limit: 1, minimum: 0 } },
            ],
            by: 'rank',
          },
          /`nowhere`/,
        ],
        [{ kind: 'similar', id: 'a', fields: [{ name: 'tag', weight: 1 }] }, /`tag`/],
        [{ ...match('wing'), fields: [{ name: 'nowhere', weight: 1 }] }, /`nowhere`/],
        [{ ...match('wing'), fields: [{ name: 'tag', weight: 1 }] }, /`tag`/],
        [{ kind: 'filter', field: 'nowhere', alternatives: [{ score: 1, values: ['x'] }] }, /`nowhere`/],
        [{ kind: 'filter', field: 'title', alternatives: [{ score: 1, values: ['x'] }] }, /`title`/],
      ]
      for (const [node, message] of cases) {
        await assert.rejects(engine.search('g', makePlan([node]), 1_000), error => {
          assert.match(String(error), message)
          return withCode('unsupported')(error)
        })
      }
      const unknownLanguage = {
        fields: [{ name: 'title', type: 'text', language: 'klingon', prefix: false } as const],
      }
      await assert.rejects(engine.open('h', unknownLanguage), withCode('unsupported'))
    })
  })

  it('searches beyond the queue are rejected as overloaded', async t => {
    const dataDir = await dataDirFor(t)
    const engine = await openEmbeddedEngine({ dataDir, threads: 1, queueMax: 1 })
    t.after(() => engine.close())
    await engine.open('g', library)
    // A search takes longer than another one takes to be queued.
    await writeMany(engine, 5_000)
    await engine.refresh('g')
    const plan = {
      ...makePlan([match('wing number')]),
      facet: { field: 'tag', offset: 0, count: 10, selected: [] },
    }
    const outcomes = await Promise.allSettled(
      Array.from({ length: 200 }, () => engine.search('g', plan, 10_000)),
    )
    const rejected = outcomes.filter(outcome => outcome.status === 'rejected')
    assert.ok(rejected.length > 0 && rejected.length < 200)
    for (const outcome of rejected) assert.ok(withCode('overloaded')(outcome.reason))
  })

  it('all calls after close are rejected', async t => {
    const engine = await openEmbeddedEngine({ dataDir: await dataDirFor(t) })
    await engine.open('g', library)
    await engine.close()
    await assert.rejects(engine.search('g', makePlan([matchAll]), 1_000), withCode('unavailable'))
    await assert.rejects(engine.open('g', library), withCode('unavailable'))
  })
})

/** More documents than the engine indexes before `open` resolves. */
const largeIndexSize = 20_000

const beingRebuilt = (error: unknown) =>
  withCode('unavailable')(error) && /being rebuilt, \d+ of \d+ documents/.test(String(error))

async function writeMany(engine: Engine, documents: number) {
  const writes = Array.from({ length: documents }, (_, index) =>
    putDocument(`d${index}`, { title: `wing number ${index}`, tag: `t${index % 7}` }),
  )
  await engine.write('g', writes)
}

function spawnWriter(dataDir: string) {
  const script = fileURLToPath(new URL('./embedded.crash.ts', import.meta.url))
  return spawn(process.execPath, [script, dataDir, String(batchSize), String(rewritten)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
}

/** Asserts that the documents are complete batches, at least the acknowledged ones, as written last. Returns the number of batches. */
function checkReport({ stored, searchable, distinct, batches }: StartReport, acknowledged: number): number {
  const batchCount = stored / batchSize
  // One more batch may be stored but not yet acknowledged.
  assert.ok(
    Number.isInteger(batchCount) && batchCount >= acknowledged,
    `${stored} stored, ${acknowledged} batches acknowledged`,
  )
  assert.deepEqual([searchable, distinct], [stored, stored])
  const expected = Array.from({ length: batchCount }, (_, batch): [number, number] => [
    batch,
    batchSize + (batch > 0 ? rewritten : 0) - (batch < batchCount - 1 ? rewritten : 0),
  ])
  assert.deepEqual(
    batches.toSorted(([a], [b]) => a - b),
    expected,
  )
  return batchCount
}

/** Returns a generator of reproducible numbers from 0 to 1 (linear congruential, Numerical Recipes). */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}

async function dataDirFor(t: TestContext): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'querent-engine-'))
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  return dataDir
}

async function withEngine<T>(dataDir: string, use: (engine: Engine) => Promise<T>): Promise<T> {
  const engine = await openEmbeddedEngine({ dataDir })
  try {
    return await use(engine)
  } finally {
    await engine.close()
  }
}

/** Each document comes back as written, from every call, and is the first for its own vector. */
async function checkVectors(engine: Engine, vectors: Record<string, unknown>): Promise<void> {
  for (const [id, v] of Object.entries(vectors)) {
    const text = entity(id, { v })
    assert.equal(await engine.get('g', id), text)
    const listed = await engine.list('g', undefined, 10)
    assert.equal(listed.find(document => document.id === id)?.entity, text)
    const [vector] = [v].flat(2).length > 3 ? (v as number[][]) : [v as number[]]
    const plan = makePlan([{ kind: 'nearest', field: 'v', vector: vector ?? [], limit: 10, minimum: 0 }])
    const { hits } = await engine.search('g', { ...plan, order: [] }, 10_000)
    assert.ok(hits.some(hit => hit.entity === text))
  }
}

async function searchIds(engine: Engine, plan: Plan): Promise<string[]> {
  const { hits } = await engine.search('g', { ...plan, order: [] }, 10_000)
  return hits.map(hit => JSON.parse(hit.entity).id)
}

async function largest(index: string): Promise<string> {
  const segments = (await readdir(index)).filter(name => /\.(idx|term|fast)$/.test(name))
  const sized = await Promise.all(
    segments.map(async name => ({ path: join(index, name), size: (await stat(join(index, name))).size })),
  )
  const [first] = sized.sort((a, b) => b.size - a.size)
  assert.ok(first)
  return first.path
}

/** Overwrites the file in place: the engine has it mapped, and truncating it would crash the process. */
async function overwrite(path: string): Promise<void> {
  const { size } = await stat(path)
  const file = await open(path, 'r+')
  await file.write(Buffer.alloc(size))
  await file.close()
}

/** Makes another process hold the writer lock of the index (flock(1)) until the caller calls the returned function. */
async function lockIndex(index: string): Promise<() => Promise<void>> {
  const holder = spawn('flock', [join(index, '.tantivy-writer.lock'), '-c', 'echo held; cat'])
  const exit = once(holder, 'exit')
  await once(holder.stdout, 'data')
  return async () => {
    holder.stdin.end()
    await exit
  }
}

async function flipByte(path: string): Promise<void> {
  const bytes = await readFile(path)
  const middle = bytes.length >> 1
  bytes[middle] = (bytes[middle] ?? 0) ^ 0xff
  await writeFile(path, bytes)
}
