/** `querent new` as a person runs it: the file that it writes is applied and searched without a change. */
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { runQuerent } from '#tests/support/command-line'
import { type StartedServer, startServer } from '#tests/support/started-server'

let server: StartedServer
let folder: string
before(async () => {
  server = await startServer()
})
after(() => server?.stop())

/** Runs a command in the folder, because it writes its files there. */
const run = (...args: string[]) => runQuerent([...args, '--json'], { folder })

const inFolder = async (work: () => Promise<void>): Promise<void> => {
  folder = await mkdtemp(join(tmpdir(), 'querent-new-'))
  try {
    await work()
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Applies the file, imports the documents, and returns the ids that a text finds. */
const search = async (workspace: string, collection: string, api: string, path: string, text: string) => {
  await server.applyFile(join(folder, 'workspace.yaml'))
  await server.run(['import', workspace, collection, join(folder, path)])
  const { items } = (await server.run(['search', workspace, api, 'search', `query=${text}`])) as {
    items: { tuple: { id: string }[] }[]
  }
  return items.flatMap(({ tuple }) => tuple.map(({ id }) => id.split(':').at(-1)))
}

test('an export whose variants lack the values of their product is named as such', () =>
  inFolder(async () => {
    const rows = ['coat,Coat,Nord,S,1', 'coat,,,L,1', 'mug,Mug,Potters,,2']
    await writeFile(
      join(folder, 'shop.csv'),
      `Handle,Title,Vendor,Option1 Value,Variant Grams\n${rows.join('\n')}\n`,
    )
    const { stdout, code } = await runQuerent(['new', 'shop', '--from', 'shop.csv'], { folder })
    assert.equal(code, 0)
    assert.match(stdout, /^Variants: /m)
  }))

test('a CSV file becomes a search', () =>
  inFolder(async () => {
    const kinds = ['kitchen', 'outdoor']
    const rows = Array.from(
      { length: 20 },
      (_, index) => `k${index},Kettle number ${index},${kinds[index % 2]},${index}`,
    )
    await writeFile(
      join(folder, 'products.csv'),
      `sku,name,kind,price\n${rows.join('\n')}\nt1,A tent for two,outdoor,90\n`,
    )
    const outcome = await run('new', 'shop', '--from', 'products.csv')
    assert.equal(outcome.code, 0, outcome.stderr)
    assert.deepEqual(JSON.parse(outcome.stdout), {
      workspace: 'shop',
      file: 'workspace.yaml',
      collection: 'products',
      documents: 'products.csv',
    })
    assert.deepEqual(await search('shop', 'products', 'products', 'products.csv', 'tent'), ['t1'])
    const text = await readFile(join(folder, 'workspace.yaml'), 'utf8')
    assert.match(text, /^title: Shop$/m)
    assert.match(text, /^ {6}kind: \{ type: keyword \} # 21 of 21, 2 different: kitchen · outdoor$/m)
    assert.equal((await run('new', 'shop', '--from', 'products.csv')).code, 1)
    assert.equal(await readFile(join(folder, 'workspace.yaml'), 'utf8'), text)
  }))

test('texts with several values are chosen from and found one by one, also by a later import', () =>
  inFolder(async () => {
    const labels = ['gift;new', 'new;sale', 'sale', 'gift']
    const rows = Array.from({ length: 40 }, (_, index) => `C-${index},Chair ${index},${labels[index % 4]}`)
    await writeFile(join(folder, 'chairs.csv'), `sku,name,labels\n${rows.join('\n')}\n`)
    const outcome = await runQuerent(['new', 'chairs', '--from', 'chairs.csv'], { folder })
    assert.match(outcome.stdout, /Several values: labels is split at ;/)
    await search('chairs', 'chairs', 'chairs', 'chairs.csv', 'chair')
    const laterFile = join(folder, 'later.ndjson')
    await writeFile(laterFile, '{"sku":"L-1","name":"Chair late","labels":"new; gift"}\n')
    await server.run(['import', 'chairs', 'chairs', laterFile])
    const count = async (label: string) => {
      const args = ['search', 'chairs', 'chairs', 'all', '--count', '100', '--filter', `labels=${label}`]
      return ((await server.run(args)) as { items: unknown[] }).items.length
    }
    assert.deepEqual(await Promise.all(['gift', 'new', 'sale', 'gift;new'].map(count)), [21, 21, 20, 0])
  }))

test('without a file there are example documents', () =>
  inFolder(async () => {
    assert.equal((await run('new', 'first')).code, 0)
    const ids = await search('first', 'documents', 'search', 'documents.ndjson', 'moon')
    assert.deepEqual(ids, ['https://example.org/documents/moon'.split(':').at(-1)])
  }))

test('a file without an id gets one from its content, from its rows, or from the field that you name', () =>
  inFolder(async () => {
    const films = ['Alien,1979', 'Solaris,1972', 'Solaris,2002', 'Stalker,1979', 'Contact,1997']
    await writeFile(join(folder, 'films.csv'), `film,seen\n${films.join('\n')}\n`)
    assert.equal((await run('new', 'cinema', '--from', 'films.csv')).code, 0)
    const text = await readFile(join(folder, 'workspace.yaml'), 'utf8')
    assert.match(text, /^# Made from all 5 documents of films\.csv/)
    assert.match(text, /^ {4}id: \{ generate: hash \} # made from the content/m)
    assert.equal((await search('cinema', 'films', 'films', 'films.csv', 'solaris')).length, 2)
    await rm(join(folder, 'workspace.yaml'))
    const byRow = await runQuerent(['new', 'cinema', '--from', 'films.csv', '--id', 'row'], { folder })
    assert.equal(byRow.code, 0, byRow.stderr)
    assert.match(byRow.stdout, /querent import cinema films films\.csv --replace/)
    await rm(join(folder, 'workspace.yaml'))
    const { code, stderr } = await run('new', 'cinema', '--from', 'films.csv', '--id', 'film')
    assert.equal(code, 2)
    assert.match(stderr, /--id: "film" .* allowed: hash, row/)
  }))

test('a chosen id that one document repeats has a remark, and its last document stays', () =>
  inFolder(async () => {
    const rows = Array.from(
      { length: 60 },
      (_, index) => `s${index % 59},${index === 59 ? 'Chandelier' : 'Lamp'} number ${index}`,
    )
    await writeFile(join(folder, 'lamps.csv'), `sku,name\n${rows.join('\n')}\n`)
    const outcome = await runQuerent(['new', 'lamps', '--from', 'lamps.csv', '--id', 'sku'], { folder })
    assert.match(outcome.stdout, /Check the ids: 1 of 60 documents repeats the sku of an earlier one/)
    const text = await readFile(join(folder, 'workspace.yaml'), 'utf8')
    assert.match(text, /^ {4}id: \{ field: sku \} # .*such as "s0", and an import keeps the last$/m)
    assert.deepEqual(await search('lamps', 'lamps', 'lamps', 'lamps.csv', 'chandelier'), ['s0'])
  }))

test('a column that is unique only at the beginning of the file is not its id', () =>
  inFolder(async () => {
    const counties = 12_000
    const rows = Array.from(
      { length: 3 * counties },
      (_, index) => `county-${String(index % counties).padStart(60, '0')},Species ${index % 7},bird`,
    )
    await writeFile(join(folder, 'species.csv'), `county_id,species,kind\n${rows.join('\n')}\n`)
    assert.equal((await run('new', 'nature', '--from', 'species.csv')).code, 0)
    const text = await readFile(join(folder, 'workspace.yaml'), 'utf8')
    assert.match(text, /documents from the beginning, the middle and the end of species\.csv/)
    assert.match(text, /id: \{ generate: /)
    assert.match(text, /kind: match/)
  }))

test('what cannot be proposed for is refused, and nothing is written', () =>
  inFolder(async () => {
    await writeFile(join(folder, 'empty.csv'), 'name\n')
    const refusals: [args: string[], message: RegExp][] = [
      [['new', 'shop', '--from', 'empty.csv'], /empty\.csv: the file has no documents/],
      [['new', 'shop', '--id', 'row'], /--id needs --from/],
      [['new', 'shop', '--from', 'missing.csv'], /missing\.csv/],
      [['new', 'Not A Name'], /workspace/],
    ]
    for (const [args, message] of refusals) {
      const { code, stderr } = await run(...args)
      assert.notEqual(code, 0)
      assert.match(stderr, message)
    }
    await assert.rejects(readFile(join(folder, 'workspace.yaml')), { code: 'ENOENT' })
  }))

test('a JSON object with several lists says which one was taken, and --rows takes another', () =>
  inFolder(async () => {
    const cities = ['Oslo', 'Rome', 'Bern'].map((city, id) => ({ id, city }))
    const file = { stores: cities.slice(1), page: { items: cities } }
    await writeFile(join(folder, 'all.json'), JSON.stringify(file))
    const { stdout } = await runQuerent(['new', 'shop', '--from', 'all.json'], { folder })
    assert.match(stdout, /the list page\.items\. For another one: --rows stores\./)
    await rm(join(folder, 'workspace.yaml'))
    const outcome = await runQuerent(['new', 'shop', '--from', 'all.json', '--rows', 'stores'], { folder })
    assert.match(outcome.stdout, /import shop all all\.json --rows stores/)
    assert.match(await readFile(join(folder, 'workspace.yaml'), 'utf8'), /# 2 of 2, 2 different: Rome · Bern/)
  }))
