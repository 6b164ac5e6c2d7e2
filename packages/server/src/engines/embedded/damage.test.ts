/** The embedded engine and damaged files, and the files that killed processes leave. */
import assert from 'node:assert/strict'
import { cp, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it, type TestContext } from 'node:test'
import type { Engine, GenerationSpec, RebuildEvent } from '#engines/engine'
import { library, makePlan, match, putDocument } from '#engines/suite/engine.suite.plans'
import { openEmbeddedEngine } from './embedded.ts'

const documents = 200

const makeFolder = async (t: TestContext): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'querent-damage-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

const withEngine = async <T>(dataDir: string, use: (engine: Engine) => Promise<T>): Promise<T> => {
  const engine = await openEmbeddedEngine({ dataDir })
  try {
    return await use(engine)
  } finally {
    await engine.close()
  }
}

/** Fields of each type, so that the index has every kind of file. */
const spec: GenerationSpec = {
  ...library,
  fields: [...library.fields, { name: 'v', type: 'vector', dimensions: 2, metric: 'dot' }],
}

/** Writes documents, replaces one and deletes one, so that the index has a file of deletions. */
const writeDocuments = async (engine: Engine): Promise<void> => {
  await engine.open('g', spec)
  const writes = Array.from({ length: documents }, (_, number) =>
    putDocument(`d${number}`, { title: `wing number ${number}`, tag: `t${number % 7}`, v: [number, 1] }),
  )
  await engine.write('g', writes)
  await engine.refresh('g')
  await engine.write('g', [putDocument('d0', { title: 'wing again' }), { delete: 'd1' }])
  await engine.refresh('g')
}

const harms: Record<string, (path: string) => Promise<void>> = {
  'one flipped byte': async path => {
    const bytes = await readFile(path)
    const middle = bytes.length >> 1
    bytes[middle] = (bytes[middle] ?? 0) ^ 0xff
    await writeFile(path, bytes)
  },
  'half of its length': async path => truncate(path, (await readFile(path)).length >> 1),
  'been lost': path => rm(path),
}

it('the engine answers rightly whichever file of the index is damaged or lost', async t => {
  const source = join(await makeFolder(t), 'source')
  await withEngine(source, writeDocuments)
  const index = join(source, 'g', 'index')
  const byKind = new Map(
    (await readdir(index))
      .filter(name => !name.endsWith('.lock'))
      .map(name => [/[^.]+$/.exec(name)?.[0] ?? name, name]),
  )
  for (const kind of ['term', 'idx', 'pos', 'fast', 'store', 'fieldnorm', 'del', 'json'])
    assert.ok(byKind.has(kind), `${kind} is missing in ${[...byKind.keys()]}`)
  const kinds = Object.entries(harms)
  for (const [number, name] of [...new Set([...byKind.values(), 'meta.json', '.managed.json'])].entries()) {
    const [harm, apply] = kinds[number % kinds.length] ?? assert.fail()
    const context = `${name} has ${harm}`
    const dataDir = await makeFolder(t)
    await cp(source, dataDir, { recursive: true })
    await apply(join(dataDir, 'g', 'index', name))
    await withEngine(dataDir, async engine => {
      await engine.open('g', spec)
      const search = (word: string) => engine.search('g', makePlan([match(word)]), 10_000)
      assert.equal((await search('wing')).total, documents - 1, context)
      assert.equal((await search('again')).total, 1, context)
      await engine.write('g', [putDocument('d0', { title: 'wing once more' })])
      await engine.refresh('g')
      assert.equal((await search('again')).total, 0, context)
      assert.equal((await search('once')).total, 1, context)
      assert.equal(engine.failures?.().size, 0, context)
    })
  }
})

it('opening deletes temporary files that a killed process left in the index', async t => {
  const dataDir = await makeFolder(t)
  await withEngine(dataDir, writeDocuments)
  const index = join(dataDir, 'g', 'index')
  for (const name of ['.tmpA1b2C3', '.tmpZzZzZz']) await writeFile(join(index, name), '{')
  await withEngine(dataDir, async engine => {
    await engine.open('g', spec)
    await engine.refresh('g')
    assert.deepEqual(
      (await readdir(index)).filter(name => name.startsWith('.tmp')),
      [],
    )
  })
})

it('a generation that cannot be opened is listed with the reason, until it can', async t => {
  const dataDir = await makeFolder(t)
  await withEngine(dataDir, writeDocuments)
  const file = join(dataDir, 'g', 'documents.db')
  const bytes = await readFile(file)
  await writeFile(file, 'rubbish'.repeat(5000))
  const engine = await openEmbeddedEngine({ dataDir })
  t.after(() => engine.close())
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const events: RebuildEvent[] = []
  engine.onRebuild(event => events.push(event))
  await engine.open('g', spec, true)
  await assert.rejects(engine.whenOpened?.('g') ?? Promise.resolve())
  assert.equal(engine.failures?.().get('g')?.code, 'unavailable')
  assert.deepEqual(
    events.map(({ state }) => state),
    ['open-failed'],
  )
  await writeFile(file, bytes)
  // The engine tries again without being used.
  t.mock.timers.tick(30_000)
  while (engine.isOpened?.('g') === false) await new Promise(resolve => setImmediate(resolve))
  assert.equal(engine.failures?.().size, 0)
})
