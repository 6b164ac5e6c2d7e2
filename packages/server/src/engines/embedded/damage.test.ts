/** The embedded engine and damaged files, and the files that killed processes leave. */
import assert from 'node:assert/strict'
import { cp, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it, type TestContext } from 'node:test'
import type { Engine, GenerationSpec, RebuildEvent } from '#engines/engine'
import { library, makePlan, match, putDocument, withCode } from '#engines/suite/engine.suite.plans'
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

const lostCases: Record<string, (dataDir: string, older: string) => Promise<void>> = {
  'documents.db is lost': dataDir => rm(join(dataDir, 'g', 'documents.db')),
  'documents.db is of an earlier time': (dataDir, older) =>
    cp(join(older, 'g', 'documents.db'), join(dataDir, 'g', 'documents.db')),
  'documents.db is of an earlier time and the index is lost': async (dataDir, older) => {
    await cp(join(older, 'g', 'documents.db'), join(dataDir, 'g', 'documents.db'))
    await rm(join(dataDir, 'g', 'index'), { recursive: true })
  },
  'the folder of the generation is lost': dataDir => rm(join(dataDir, 'g'), { recursive: true }),
  'the whole folder is lost': dataDir => rm(dataDir, { recursive: true }),
  'the whole folder is of an earlier time': async (dataDir, older) => {
    await rm(dataDir, { recursive: true })
    await cp(older, dataDir, { recursive: true })
  },
}

for (const [name, lose] of Object.entries(lostCases))
  it(`if ${name}, the generation is refused after each start until its files are back`, async t => {
    const [dataDir, older, whole] = [await makeFolder(t), await makeFolder(t), await makeFolder(t)]
    const saved = new Map<string, number>()
    const marks = {
      read: async () => new Map(saved),
      save: async (risen: ReadonlyMap<string, number>) => {
        for (const [id, writes] of risen) saved.set(id, writes)
      },
      remove: async (id: string) => void saved.delete(id),
    }
    const use = async <T>(work: (engine: Engine) => Promise<T>): Promise<T> => {
      const engine = await openEmbeddedEngine({ dataDir, marks })
      try {
        return await work(engine)
      } finally {
        await engine.close()
      }
    }
    await use(async engine => {
      await engine.open('g', spec)
      await engine.write('g', [putDocument('a', { title: 'wing' })])
    })
    await cp(dataDir, older, { recursive: true })
    await use(async engine => {
      await engine.open('g', spec)
      await engine.write('g', [{ delete: 'a' }, putDocument('b', { title: 'wing' })])
    })
    await cp(dataDir, whole, { recursive: true })
    // After a clean stop everything is in the database.
    const names = await readdir(join(dataDir, 'g'))
    if (names.includes('documents.db-wal'))
      assert.equal((await readFile(join(dataDir, 'g', 'documents.db-wal'))).length, 0)
    await lose(dataDir, older)
    for (let start = 0; start < 2; start++)
      await use(async engine => {
        await engine.open('g', spec, true)
        for (const call of [
          engine.search('g', makePlan([match('wing')]), 10_000),
          engine.get('g', 'a'),
          engine.write('g', [{ delete: 'a' }]),
        ])
          await assert.rejects(call, withCode('documents-lost'))
        assert.equal(engine.failures?.().get('g')?.code, 'documents-lost')
        // Others work, and a new generation takes its place.
        await engine.open('new', spec)
        await engine.write('new', [putDocument('c', { title: 'wing' })])
        await engine.drop('new')
      })
    await rm(dataDir, { recursive: true })
    await cp(whole, dataDir, { recursive: true })
    await use(async engine => {
      await engine.open('g', spec)
      assert.equal(await engine.get('g', 'a'), undefined)
      assert.equal((await engine.search('g', makePlan([match('wing')]), 10_000)).total, 1)
      await engine.drop('g')
      assert.equal(saved.size, 0)
      await engine.open('g', spec)
    })
  })
