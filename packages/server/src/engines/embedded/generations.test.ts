/** More generations than are open at once: each is opened when it is used, and is what it was. */
import assert from 'node:assert/strict'
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it, type TestContext } from 'node:test'
import type { Engine, RebuildEvent } from '#engines/engine'
import { all, deadlineMs, library, match, planOf, put, withCode } from '#engines/suite/engine.suite.plans'
import { openEmbeddedEngine } from './embedded.ts'

const openMax = 3
const names = Array.from({ length: 12 }, (_, at) => `g${at}`)
const everything = planOf([all])

/** A folder with these generations, of one document each. */
const folderWith = async (generations: readonly string[]): Promise<string> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'querent-engine-'))
  const engine = await openEmbeddedEngine({ dataDir, openMax })
  for (const name of generations) {
    await engine.open(name, library)
    await engine.write(name, [put('first', { title: `wing of ${name}` })])
  }
  await engine.close()
  return dataDir
}

const started = async (
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

/** Those that the engine holds open: no other can have them. */
const openOf = async (dataDir: string): Promise<string[]> => {
  const other = await openEmbeddedEngine({ dataDir })
  try {
    const tried = await Promise.allSettled(names.map(name => other.open(name, library)))
    return names.filter((_, at) => tried[at]?.status === 'rejected')
  } finally {
    await other.close()
  }
}

it('used in any order and at once, each has all that was written, and few are open', async t => {
  const dataDir = await folderWith(names)
  const engine = await started(t, dataDir, names)
  assert.deepEqual(await openOf(dataDir), [], 'a start opens none')
  const written = new Map(names.map(name => [name, 1]))
  const findable = new Map(names.map(name => [name, 1]))
  const countOf = (counts: Map<string, number>, name: string) => counts.get(name) ?? Number.NaN
  const ask = async (name: string) => {
    const least = countOf(findable, name)
    const { total, hits } = await engine.search(name, planOf([match(name)]), deadlineMs)
    assert.ok(total >= least && total <= countOf(written, name), `${total} in ${name}, at least ${least}`)
    assert.equal(hits.length, total)
  }
  const add = async (name: string) => {
    const number = countOf(written, name) + 1
    written.set(name, number)
    await engine.write(name, [put(`d${number}`, { title: `another wing of ${name}` })])
    assert.ok(await engine.get(name, `d${number}`))
    await engine.refresh(name)
    findable.set(name, Math.max(countOf(findable, name), number))
  }
  /** One adds to a generation at a time, so that what is findable is known. */
  const work = async (worker: number) => {
    for (let round = 0; round < 40; round++) {
      await ask(names[(round * 5 + worker * 7) % names.length] ?? '')
      if (round % 4 === 0) await add(names[worker + 6 * (round % 8 === 0 ? 1 : 0)] ?? '')
    }
  }
  await Promise.all(Array.from({ length: 6 }, (_, worker) => work(worker)))
  await engine.open('copy', library)
  await engine.copy('g1', 'copy')
  assert.equal((await engine.list('copy', undefined, 100)).length, countOf(written, 'g1'))
  for (const name of names) assert.equal(engine.info(name).documents, countOf(written, name))
  assert.ok((await openOf(dataDir)).length <= openMax)
})

it('closed and opened again, one has the version it had; what was written before is found then', async t => {
  const dataDir = await folderWith(['a', 'b'])
  const engine = await started(t, dataDir, ['a', 'b'], { openMax: 1 })
  const leave = () => engine.search('b', everything, deadlineMs)
  for (let round = 0; round < 3; round++) {
    await engine.write('a', [put(`d${round}`, { title: 'wing' }), { delete: `d${round - 1}` }])
    await engine.refresh('a')
    const before = engine.info('a')
    assert.equal(before.documents, 2)
    await leave()
    assert.equal(engine.version('a'), before.version)
    assert.equal((await engine.search('a', everything, deadlineMs)).total, 2)
    assert.deepEqual(engine.info('a'), before)
  }
  const { version } = engine.info('a')
  await engine.write('a', [put('late', { title: 'wing' })])
  await leave()
  assert.equal((await engine.search('a', everything, deadlineMs)).total, 3)
  assert.ok(engine.version('a') > version)
  await engine.open('a', { ...library, synonyms: [['wing', 'pinion']] })
  assert.equal((await engine.search('a', planOf([match('pinion')]), deadlineMs)).total, 3)
})

it('one whose documents cannot be read is refused and told when it is used, until they can be', async t => {
  const dataDir = await folderWith(['a', 'b'])
  const file = join(dataDir, 'a', 'documents.db')
  await copyFile(file, `${file}.kept`)
  await writeFile(file, 'rubbish'.repeat(5000))
  const engine = await started(t, dataDir, ['a', 'b'])
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const told: RebuildEvent[] = []
  engine.onRebuild(event => told.push(event))
  const refused = async (work: Promise<unknown> | undefined) =>
    assert.rejects(work ?? Promise.resolve(), withCode('unavailable'))
  await refused(engine.whenOpened?.('a'))
  await refused(engine.search('a', everything, deadlineMs))
  await refused(engine.write('a', [put('b', {})]))
  assert.deepEqual(
    told.map(({ generation, state }) => [generation, state]),
    [['a', 'unopened']],
  )
  assert.equal((await engine.search('b', everything, deadlineMs)).total, 1)
  await copyFile(`${file}.kept`, file)
  // Not read again by each who asks.
  await refused(engine.search('a', everything, deadlineMs))
  t.mock.timers.tick(1000)
  await engine.whenOpened?.('a')
  assert.equal(engine.whenOpened?.('a'), undefined)
  assert.equal(engine.info('a').documents, 1)
})

it('a search that waits for the opening can be given up, and too many are refused', async t => {
  const dataDir = await folderWith(['a', 'b', 'c'])
  const engine = await started(t, dataDir, ['a', 'b', 'c'], { queueMax: 2 })
  assert.equal(engine.isOpened?.('a'), false)
  const gone = new AbortController()
  const givenUp = engine.search('a', everything, deadlineMs, gone.signal)
  // Those who wait for the same take one place.
  const waiting = ['a', 'b'].map(name => engine.search(name, everything, deadlineMs))
  const tooMany = ['a', 'c'].map(name => engine.search(name, everything, deadlineMs))
  gone.abort()
  await assert.rejects(givenUp, withCode('cancelled'))
  for (const each of tooMany) await assert.rejects(each, withCode('overloaded'))
  for (const each of waiting) assert.equal((await each).total, 1)
  assert.equal((await engine.search('c', everything, deadlineMs)).total, 1)
})

it('released and opened anew while a search waits for it, it answers', async t => {
  const dataDir = await folderWith(['a'])
  const engine = await started(t, dataDir, ['a'])
  const found = engine.search('a', everything, deadlineMs)
  const released = engine.release('a')
  await engine.open('a', library, true)
  await released
  assert.equal((await found).total, 1)
})

it('when more were in use than stay open, those beyond are closed without another being opened', async t => {
  const used = names.slice(0, 4)
  const dataDir = await folderWith(used)
  const engine = await started(t, dataDir, used, { openMax: 1 })
  await Promise.all(used.map(name => engine.search(name, everything, deadlineMs)))
  let open = await openOf(dataDir)
  for (let round = 0; open.length > 1 && round < 20; round++) open = await openOf(dataDir)
  assert.ok(open.length <= 1, `${open.length} are open`)
})
