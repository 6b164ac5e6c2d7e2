/** Tests with more generations than may be open at once: each is opened when it is used. */
import assert from 'node:assert/strict'
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it, type TestContext } from 'node:test'
import type { Engine, RebuildEvent } from '#engines/engine'
import {
  deadlineMs,
  library,
  makePlan,
  match,
  matchAll,
  putDocument,
  withCode,
} from '#engines/suite/engine.suite.plans'
import { openEmbeddedEngine } from './embedded.ts'

const openMax = 3
const names = Array.from({ length: 12 }, (_, index) => `g${index}`)
const allPlan = makePlan([matchAll])

/** Creates a folder with these generations, of one document each. */
const createDataDir = async (generations: readonly string[]): Promise<string> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'querent-engine-'))
  const engine = await openEmbeddedEngine({ dataDir, openMax })
  for (const name of generations) {
    await engine.open(name, library)
    await engine.write(name, [putDocument('first', { title: `wing of ${name}` })])
  }
  await engine.close()
  return dataDir
}

const startEngine = async (
  t: TestContext,
  dataDir: string,
  generations: readonly string[],
  settings: { openMax?: number; queueMax?: number } = { openMax },
): Promise<Engine> => {
  const engine = await openEmbeddedEngine({ dataDir, ...settings })
  t.after(async () => {
    await engine.close()
    await rm(dataDir, { recursive: true })
  })
  for (const name of generations) await engine.open(name, library, true)
  return engine
}

/** Returns the generations that the engine holds open: a second engine cannot open them. */
const listOpen = async (dataDir: string): Promise<string[]> => {
  const secondEngine = await openEmbeddedEngine({ dataDir })
  try {
    const attempts = await Promise.allSettled(names.map(name => secondEngine.open(name, library)))
    return names.filter((_, index) => attempts[index]?.status === 'rejected')
  } finally {
    await secondEngine.close()
  }
}

it('under concurrent use in any order each generation has all its writes, and at most `openMax` are open', async t => {
  const dataDir = await createDataDir(names)
  const engine = await startEngine(t, dataDir, names)
  assert.deepEqual(await listOpen(dataDir), [], 'a start opens none')
  const storedCounts = new Map(names.map(name => [name, 1]))
  const searchableCounts = new Map(names.map(name => [name, 1]))
  const readCount = (counts: Map<string, number>, name: string) => counts.get(name) ?? Number.NaN
  const search = async (name: string) => {
    const minimum = readCount(searchableCounts, name)
    const { total, hits } = await engine.search(name, makePlan([match(name)]), deadlineMs)
    const maximum = readCount(storedCounts, name)
    assert.ok(total >= minimum && total <= maximum, `${total} in ${name}, at least ${minimum}`)
    assert.equal(hits.length, total)
  }
  const add = async (name: string) => {
    const number = readCount(storedCounts, name) + 1
    storedCounts.set(name, number)
    await engine.write(name, [putDocument(`d${number}`, { title: `another wing of ${name}` })])
    assert.ok(await engine.get(name, `d${number}`))
    await engine.refresh(name)
    searchableCounts.set(name, Math.max(readCount(searchableCounts, name), number))
  }
  /** Only one worker at a time adds to a generation, so that the searchable count is known. */
  const work = async (worker: number) => {
    for (let round = 0; round < 40; round++) {
      await search(names[(round * 5 + worker * 7) % names.length] ?? '')
      if (round % 4 === 0) await add(names[worker + 6 * (round % 8 === 0 ? 1 : 0)] ?? '')
    }
  }
  await Promise.all(Array.from({ length: 6 }, (_, worker) => work(worker)))
  await engine.open('copy', library)
  await engine.copy('g1', 'copy')
  assert.equal((await engine.list('copy', undefined, 100)).length, readCount(storedCounts, 'g1'))
  for (const name of names) assert.equal(engine.info(name).documents, readCount(storedCounts, name))
  assert.ok((await listOpen(dataDir)).length <= openMax)
})

it('a reopened generation has its former version and its documents', async t => {
  const dataDir = await createDataDir(['a', 'b'])
  const engine = await startEngine(t, dataDir, ['a', 'b'], { openMax: 1 })
  const closeA = () => engine.search('b', allPlan, deadlineMs)
  for (let round = 0; round < 3; round++) {
    await engine.write('a', [putDocument(`d${round}`, { title: 'wing' }), { delete: `d${round - 1}` }])
    await engine.refresh('a')
    const openInfo = engine.info('a')
    assert.equal(openInfo.documents, 2)
    await closeA()
    assert.equal(engine.version('a'), openInfo.version)
    assert.equal((await engine.search('a', allPlan, deadlineMs)).total, 2)
    assert.deepEqual(engine.info('a'), openInfo)
  }
  const { version } = engine.info('a')
  await engine.write('a', [putDocument('late', { title: 'wing' })])
  await closeA()
  assert.equal((await engine.search('a', allPlan, deadlineMs)).total, 3)
  assert.ok(engine.version('a') > version)
  await engine.open('a', { fields: [...library.fields, { name: 'shelf', type: 'keyword' }] })
  assert.equal((await engine.search('a', makePlan([match('wing')]), deadlineMs)).total, 3)
})

it('using a generation with unreadable documents fails and is reported once, until they are readable', async t => {
  const dataDir = await createDataDir(['a', 'b'])
  const file = join(dataDir, 'a', 'documents.db')
  await copyFile(file, `${file}.kept`)
  await writeFile(file, 'rubbish'.repeat(5000))
  const engine = await startEngine(t, dataDir, ['a', 'b'])
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const events: RebuildEvent[] = []
  engine.onRebuild(event => events.push(event))
  const assertUnavailable = async (work: Promise<unknown> | undefined) =>
    assert.rejects(work ?? Promise.resolve(), withCode('unavailable'))
  await assertUnavailable(engine.whenOpened?.('a'))
  await assertUnavailable(engine.search('a', allPlan, deadlineMs))
  await assertUnavailable(engine.write('a', [putDocument('b', {})]))
  assert.deepEqual(
    events.map(({ generation, state }) => [generation, state]),
    [['a', 'open-failed']],
  )
  assert.equal((await engine.search('b', allPlan, deadlineMs)).total, 1)
  await copyFile(`${file}.kept`, file)
  // The engine does not retry for each call.
  await assertUnavailable(engine.search('a', allPlan, deadlineMs))
  t.mock.timers.tick(1000)
  await engine.whenOpened?.('a')
  assert.equal(engine.whenOpened?.('a'), undefined)
  assert.equal(engine.info('a').documents, 1)
})

it('the failure to open a generation is no longer listed once the generation is removed', async t => {
  const dataDir = await createDataDir([])
  for (const name of ['a', 'b']) {
    await mkdir(join(dataDir, name))
    await writeFile(join(dataDir, name, 'documents.db'), 'rubbish'.repeat(5000))
  }
  const engine = await startEngine(t, dataDir, ['b'])
  const listFailures = () => [...(engine.failures?.() ?? new Map<string, unknown>()).keys()]
  // A new one that cannot be opened is not registered.
  await assert.rejects(engine.open('a', library), withCode('unavailable'))
  assert.deepEqual(listFailures(), [])
  await engine.drop('a')
  await assert.rejects(engine.whenOpened?.('b') ?? Promise.resolve(), withCode('unavailable'))
  assert.deepEqual(listFailures(), ['b'])
  await engine.release('b')
  assert.deepEqual(listFailures(), [])
})

it('a search that waits for an opening can be canceled, and too many are rejected', async t => {
  const dataDir = await createDataDir(['a', 'b', 'c'])
  const engine = await startEngine(t, dataDir, ['a', 'b', 'c'], { queueMax: 2 })
  assert.equal(engine.isOpened?.('a'), false)
  const controller = new AbortController()
  const canceled = engine.search('a', allPlan, deadlineMs, controller.signal)
  // All searches that wait for one generation count once.
  const waiting = ['a', 'b'].map(name => engine.search(name, allPlan, deadlineMs))
  const tooMany = ['a', 'c'].map(name => engine.search(name, allPlan, deadlineMs))
  controller.abort()
  await assert.rejects(canceled, withCode('cancelled'))
  for (const search of tooMany) await assert.rejects(search, withCode('overloaded'))
  for (const search of waiting) assert.equal((await search).total, 1)
  assert.equal((await engine.search('c', allPlan, deadlineMs)).total, 1)
})

it('a search answers if its generation is released and reopened while it waits', async t => {
  const dataDir = await createDataDir(['a'])
  const engine = await startEngine(t, dataDir, ['a'])
  const search = engine.search('a', allPlan, deadlineMs)
  const released = engine.release('a')
  await engine.open('a', library, true)
  await released
  assert.equal((await search).total, 1)
})

it('after more than `openMax` were in use, the excess is closed without another opening', async t => {
  const usedNames = names.slice(0, 4)
  const dataDir = await createDataDir(usedNames)
  const engine = await startEngine(t, dataDir, usedNames, { openMax: 1 })
  await Promise.all(usedNames.map(name => engine.search(name, allPlan, deadlineMs)))
  let open = await listOpen(dataDir)
  for (let round = 0; open.length > 1 && round < 20; round++) open = await listOpen(dataDir)
  assert.ok(open.length <= 1, `${open.length} are open`)
})
