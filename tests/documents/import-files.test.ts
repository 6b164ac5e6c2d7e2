/** `querent import` reads files in the forms in which people have them, compressed or not, from a file or a pipe. */
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { runQuerent } from '#tests/support/command-line'
import { type StartedServer, startServer } from '#tests/support/started-server'

let server: StartedServer
let folder: string
before(async () => {
  server = await startServer()
  folder = await mkdtemp(join(tmpdir(), 'querent-files-'))
  await server.applyWorkspace(`
workspace: files
collections: { things: { fields: { title: { type: text } } } }
`)
})
after(async () => {
  await server.stop()
  await rm(folder, { recursive: true, force: true })
})

const pair = [
  { id: 1, title: 'One, first' },
  { id: 2, title: 'Two' },
]
const contents: readonly [name: string, text: string][] = [
  ['array.json', JSON.stringify(pair)],
  ['pretty.ndjson', JSON.stringify(pair, null, 2)],
  ['lines.json', pair.map(document => JSON.stringify(document)).join('\n')],
  ['rows.json', JSON.stringify({ total: 2, rows: pair }, null, 2)],
  [
    'places.geojson',
    JSON.stringify({
      type: 'FeatureCollection',
      features: pair.map(properties => ({ type: 'Feature', properties, geometry: null })),
    }),
  ],
  ['table.csv', 'id;title;\n1;"One, first";\n2;Two;\n'],
  ['table.tab', 'id\ttitle\n1\tOne, first\n2\tTwo\n'],
]
const run = async (args: string[], input?: Buffer) => {
  const fullArgs = ['import', 'files', 'things', ...args, '--replace', '--json', '--data', server.data]
  const { code, stdout, stderr } = await runQuerent(fullArgs, input === undefined ? {} : { input })
  assert.equal(code, 0, stderr)
  return JSON.parse(stdout)
}

for (const [name, text] of contents)
  test(`${name} is imported, also compressed, and from a pipe`, async () => {
    const counts = { accepted: 2, documents: 2, replaced: 0, rejected: 0, errors: [] }
    const plain = join(folder, name)
    await writeFile(plain, text)
    const packed = `${plain}.gz`
    await writeFile(packed, gzipSync(text))
    assert.deepEqual(await run([plain]), counts)
    assert.deepEqual(await run([packed]), counts)
    assert.deepEqual(await run(['-'], Buffer.from(text)), counts)
    assert.deepEqual(await run(['-'], gzipSync(text)), counts)
  })

test('the place of each refusal is in the message', async () => {
  const file = join(folder, 'bad.json')
  await writeFile(file, '{"rows":[{"id":1},{"title":"x"}]}')
  const partial = await runQuerent(['import', 'files', 'things', file, '--data', server.data])
  assert.match(partial.stderr, /bad\.json: index 1: the id is missing/)
  await writeFile(file, '{"rows":[1]}')
  const failure = await runQuerent([
    'import',
    'files',
    'things',
    file,
    '--rows',
    'a.b',
    '--data',
    server.data,
  ])
  assert.equal(failure.code, 1)
  assert.match(failure.stderr, /no list of objects at "a\.b"/)
})

test('--update changes stored documents, and --create adds those with unknown ids', async () => {
  const file = join(folder, 'update.csv')
  await run(['-'], Buffer.from('{"id":1,"title":"One","note":"stays"}\n'))
  await writeFile(file, 'id;title\n1;Uno\n2;Due\n')
  const update = async (...flags: string[]) => {
    const args = ['import', 'files', 'things', file, '--update', ...flags, '--json', '--data', server.data]
    const { code, stdout, stderr } = await runQuerent(args)
    assert.equal(code, 0, stderr)
    return JSON.parse(stdout)
  }
  const { errors, ...counts } = await update('--delimiter', ';')
  assert.deepEqual([counts, errors.length], [{ accepted: 1, updated: 1, rejected: 1 }, 1])
  assert.deepEqual(await update('--create'), { accepted: 2, updated: 1, rejected: 0, errors: [] })
  const exported = await runQuerent(['documents', 'export', 'files', 'things', '--data', server.data])
  assert.match(exported.stdout, /"title":"Uno","note":"stays"/)
  for (const flags of [['--update', '--replace'], ['--create'], ['--delimiter', '|']]) {
    const { code } = await runQuerent(['import', 'files', 'things', file, ...flags, '--data', server.data])
    assert.equal(code, 2, flags.join(' '))
  }
})

test('documents delete takes values and ranges, and --dry-run deletes nothing', async () => {
  const remove = async (...args: string[]) => {
    const reply = await runQuerent([
      'documents',
      'delete',
      'files',
      'things',
      ...args,
      '--json',
      '--data',
      server.data,
    ])
    return { code: reply.code, deleted: reply.code === 0 ? JSON.parse(reply.stdout).deleted : undefined }
  }
  await server.applyWorkspace(`
workspace: files
collections: { things: { fields: { title: { type: text }, id: { type: number }, dryRun: { type: boolean } } } }
`)
  await run(['-'], Buffer.from(JSON.stringify([...pair, { id: 3, title: 'Three' }])))
  assert.deepEqual(await remove('id=1', 'id=3', '--dry-run'), { code: 0, deleted: 2 })
  assert.deepEqual(await remove('id.from=2', '--dry-run'), { code: 0, deleted: 2 })
  assert.deepEqual(await remove('id.from=2'), { code: 0, deleted: 2 })
  assert.deepEqual(await remove('id.from=2', '--dry-run'), { code: 0, deleted: 0 })
  assert.equal((await remove('colour=red')).code, 2)
  assert.equal((await remove('id')).code, 2)
})

test('--rejected saves the rejected documents as a file that can be corrected and imported', async () => {
  await server.applyWorkspace(
    'workspace: counts\ncollections: { counted: { fields: { pages: { type: number } } } }\n',
  )
  const importWith = async (name: string, content: string | Buffer, ...args: string[]) => {
    const path = join(folder, name)
    await writeFile(path, content)
    const rejected = join(folder, `rejected-${name}`)
    const target = ['counts', 'counted', path, '--rejected', rejected]
    const { code, stdout, stderr } = await runQuerent([
      'import',
      ...target,
      ...args,
      '--json',
      '--data',
      server.data,
    ])
    const reply = JSON.parse(stdout || '{}')
    return { code, stderr, reply, text: reply.rejectedFile ? await readFile(reply.rejectedFile, 'utf8') : '' }
  }
  const manyRows = Array.from({ length: 150 }, (_, index) => `m${index};"Two\nlines";viele\n`).join('')
  const table = `id;title;pages\ns1;Gut;12\n${manyRows}s2;Größe;viele\ns3;Gut;13\n`
  const csv = await importWith('some.csv', Buffer.from(table, 'latin1'))
  assert.deepEqual([csv.reply.accepted, csv.reply.rejected], [2, 151], csv.stderr)
  assert.equal(csv.text, `id;title;pages\n${manyRows}s2;Größe;viele\n`)
  const packed = await importWith('some.csv.gz', gzipSync(table))
  assert.equal(packed.text, csv.text)
  const json = await importWith(
    'rows.json',
    '{"data":[{"id":"s1"},\n{"id":"s3",\n "pages":"many","n":1.50}]}',
  )
  assert.equal(json.text, '{"id":"s3", "pages":"many","n":1.50}\n')
  const lines = await importWith('lines.ndjson', '{"id":"s1"}\n{"id":"s3","pages":"many"}\n')
  assert.equal(lines.text, '{"id":"s3","pages":"many"}\n')
  const right = await importWith('right.ndjson', '{"id":"s1"}\n')
  assert.deepEqual([right.code, right.reply.rejectedFile], [0, undefined])
  const piped = await runQuerent(
    ['import', 'counts', 'counted', '-', '--rejected', 'x.ndjson', '--data', server.data],
    {
      input: Buffer.from('{"id":"s1"}\n'),
    },
  )
  assert.equal(piped.code, 2)
})
