/** Generations over HTTP: queries during a replacement, staging, promotion and rollback, and interrupted imports. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { launcher, runQuerent } from '#tests/support/command-line'
import { fetchToken, type ServerProcess, startServerProcess } from '#tests/support/started-server'

let server: ServerProcess
let folder: string
let loader: string
before(async () => {
  server = await startServerProcess()
  folder = await mkdtemp(join(tmpdir(), 'querent-generations-'))
  await apply(workspaceFile({}))
  const account = await server.createAccount('shop', 'loader', 'data-provider')
  loader = await fetchToken(server, account)
})
after(async () => {
  await server.stop()
  await rm(folder, { recursive: true, force: true })
})

const workspaceFile = ({ isMarked = false, configurations = '{ default: {} }' }) => `
workspace: shop
collections:
  things:
    fields:
      title: { type: text }
      batch: { type: keyword }
${isMarked ? '      mark: { type: keyword }' : ''}
configurations: ${configurations}
apis:
  shop:
    access: public
    endpoints:
      all: { kind: all, collection: things }
      search: { kind: match, collection: things, fields: [title]${isMarked ? ', typos: true' : ''} }
      batch: { kind: facet, field: batch }
${isMarked ? '      mark: { kind: facet, field: mark }' : ''}
`
const apply = async (source: string) => {
  const file = join(folder, 'workspace.yaml')
  await writeFile(file, source)
  return server.applyFile(file)
}
const get = (path: string, init?: RequestInit) => fetch(`${server.baseUrl}/4/shop/api/shop/${path}`, init)
const json = async (reply: Response) => {
  const text = await reply.text()
  assert.equal(reply.status, 200, text)
  return JSON.parse(text)
}
const documents = (batch: string, count: number) =>
  Array.from({ length: count }, (_, index) =>
    JSON.stringify({
      id: `t${index}`,
      title: `thing ${index}`,
      batch,
      mark: index % 2 === 0 ? 'even' : 'odd',
    }),
  ).join('\n')
const importBatch = (batch: string, count: number, ...flags: string[]) =>
  server.run(['import', 'shop', 'things', '-', ...flags], { input: documents(batch, count) })
const batchSize = (batch: string) => 2000 + Number(batch)
const list = async () =>
  // The JSON reply of `querent generations list`.
  (await server.run(['generations', 'list', 'shop', 'things'])) as {
    id: string
    documents: number
    state: string
    configurations: string[]
  }[]
const readBatches = async (config?: string) => {
  const reply = await json(await get(`e/all/options/batch${config ? `?config=${config}` : ''}`))
  return reply.options.map(({ value }: { value: string }) => value).join()
}

test('while fields change and collections are replaced, no query fails and each reply comes from one generation', async () => {
  await importBatch('1', batchSize('1'), '--replace')
  let isOver = false
  const observations = { batches: new Set<string>(), answered: 0, marked: 0 }
  const paths = ['e/all/results?count=50', 'e/search/p/query/thing/results?count=50&offset=100']
  /** Documents and their total come in one reply, and with facets in another. Each reply must be consistent. */
  const ask = async (caller: number) => {
    while (!isOver) {
      const { items } = await json(await get(paths[caller % 2] ?? ''))
      const batches = new Set<string>(
        items.map(
          ({ tuple: [entity] }: { tuple: { attributes: { batch: string } }[] }) => entity?.attributes.batch,
        ),
      )
      assert.equal(batches.size, 1, 'results of one generation')
      assert.equal(items.length, 50)
      const { options } = await json(await get('e/all/options/batch'))
      assert.equal(options.length, 1, JSON.stringify(options))
      assert.equal(
        options[0].count,
        batchSize(options[0].value),
        'a facet of all documents of one generation',
      )
      observations.batches.add(options[0].value)
      const marks = await get('e/all/options/mark')
      const reply = JSON.parse(await marks.text())
      if (marks.status === 200) {
        const [even, odd] = reply.options
        const total = even.count + odd.count
        assert.ok(total > 2000 && total < 2010, `the new field is there at once, in all documents: ${total}`)
        observations.marked += 1
      } else assert.deepEqual([marks.status, reply.code], [400, 'unknown-endpoint'])
      observations.answered += 1
    }
  }
  const queryLoops = Array.from({ length: 8 }, (_, caller) => ask(caller))
  const changing = async () => {
    for (const batch of ['2', '3']) {
      await apply(workspaceFile({ isMarked: true }))
      await importBatch(batch, batchSize(batch), '--replace')
      await apply(workspaceFile({}))
    }
  }
  try {
    await Promise.race([changing(), Promise.all(queryLoops)])
  } finally {
    isOver = true
  }
  await Promise.all(queryLoops)
  assert.ok(observations.answered > 20 && observations.marked > 0, JSON.stringify(observations))
  assert.deepEqual([...observations.batches].toSorted().slice(-1), ['3'])
})

test('a staged generation answers only for its configuration until it is promoted', async () => {
  await apply(workspaceFile({ configurations: '{ default: {}, staging: { things: latest, public: true } }' }))
  await importBatch('4', 4, '--replace', '--stage')
  assert.deepEqual([await readBatches(), await readBatches('staging')], ['3', '4'])
  const [newest] = await list()
  assert.deepEqual([newest?.documents, newest?.state, newest?.configurations], [4, 'complete', ['staging']])
  const tags = await Promise.all(['e/all/count', 'e/all/count?config=staging'].map(path => get(path)))
  assert.notEqual(tags[0]?.headers.get('etag'), tags[1]?.headers.get('etag'))
  const status = async (config: string) =>
    (await json(await get(`status?config=${config}`))).generations.things
  assert.deepEqual([await status('staging'), (await status('default')) === newest?.id], [newest?.id, false])

  const tag = tags[0]?.headers.get('etag') ?? ''
  assert.equal((await get('e/all/count', { headers: { 'if-none-match': tag } })).status, 304)
  const promoted = await server.run(['generations', 'promote', 'shop', 'things'])
  assert.equal(Object(promoted).id, newest?.id)
  assert.equal((await get('e/all/count', { headers: { 'if-none-match': tag } })).status, 200)
  assert.equal(await readBatches(), '4')
  await server.call('rollBackGeneration', { params: { workspace: 'shop', collection: 'things' } })
  assert.equal(await readBatches(), '3')

  const missing = await runQuerent(['generations', 'promote', 'shop', 'things', '99', '--data', server.data])
  assert.equal(missing.code, 1)
  assert.match(missing.stderr, /things has no generation 99; complete generations: (\d+, ){4}\d+/)
})

test('strangers to a public API read the live generation, whatever they name, unless the configuration is public', async () => {
  const account = async (name: string) => {
    const created = await server.createAccount('shop', name, 'api')
    // The JSON reply of `querent s2s create`.
    return fetchToken(server, created as { clientId: string; clientSecret: string })
  }
  const [reader, narrow] = [await account('reader'), await account('narrow')]
  const narrowed = 'systemToSystem: { narrow: { roles: [api], filter: { batch: none } } }\n'
  const configurations = (mark: string) =>
    `{ default: {}, pinned: { things: live }, staging: { things: latest${mark} } }`
  await apply(`${workspaceFile({ configurations: configurations('') })}${narrowed}`)
  await importBatch('5', 5, '--replace', '--stage')
  const authorize = (token?: string) =>
    token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }
  const total = async (config: string, token?: string) =>
    (await json(await get(`e/all/count?config=${config}`, authorize(token)))).total
  const live = batchSize('3')

  for (const stranger of [undefined, 'no token', loader, `${reader}x`])
    for (const config of ['default', 'pinned', 'staging'])
      assert.equal(await total(config, stranger), live, config)
  assert.equal(await total('staging', reader), 5)
  assert.equal(await total('staging', narrow), 0, 'the row filter holds for what strangers do not see')
  assert.equal(await total('default', narrow), live)

  const readConfigurations = async (token?: string) =>
    (await json(await get('', authorize(token)))).configurations
  assert.deepEqual(
    [await readConfigurations(), await readConfigurations(reader)],
    [
      ['default', 'pinned'],
      ['default', 'pinned', 'staging'],
    ],
  )
  const status = async (token?: string) =>
    (await json(await get('status?config=staging', authorize(token)))).generations.things
  const [newest] = await list()
  assert.deepEqual([await status(reader), (await status()) === newest?.id], [newest?.id, false])
  for (const path of ['openapi.json', 'e/all/count?config=none']) {
    assert.doesNotMatch(await (await get(path)).text(), /staging/, path)
    assert.match(await (await get(path, authorize(reader))).text(), /staging/, path)
  }
  assert.equal((await get('e/all/count?config=none')).status, 404)

  // One URL has two replies. Caches keep them apart, and neither validates the other.
  const replies = [
    await get('e/all/count?config=staging'),
    await get('e/all/count?config=staging', authorize(reader)),
  ]
  const [open, staged] = replies.map(reply => reply.headers.get('etag') ?? '')
  assert.notEqual(open, staged)
  for (const { headers } of replies) assert.match(headers.get('vary') ?? '', /\bauthorization\b/i)
  const revalidate = async (tag: string | undefined, token?: string) =>
    (
      await get('e/all/count?config=staging', {
        headers: { ...authorize(token).headers, 'if-none-match': tag ?? '' },
      })
    ).status
  assert.deepEqual([await revalidate(open), await revalidate(staged)], [304, 200])
  assert.deepEqual([await revalidate(open, reader), await revalidate(staged, reader)], [200, 304])

  await apply(workspaceFile({ configurations: configurations(', public: true') }))
  assert.equal(await total('staging'), 5)
  assert.deepEqual(await readConfigurations(), ['default', 'pinned', 'staging'])
  // The workspace file as JSON.
  const exported = (await server.run(['export', 'shop'])) as { configurations: object }
  assert.deepEqual(Object(exported.configurations).staging, { things: 'latest', public: true })
  await apply(workspaceFile({ configurations: '{ default: { things: latest } }' }))
  assert.equal(await total('default'), live)
  assert.equal(await total('default', reader), 5)
  await apply(workspaceFile({ configurations: '{ default: {}, staging: { things: latest, public: true } }' }))
})

test('a rollback is possible after any number of staged imports', async () => {
  const stateBefore = await readBatches()
  await importBatch('6', 6, '--replace')
  for (const batch of ['7', '8', '9', '10']) await importBatch(batch, 1, '--replace', '--stage')
  assert.equal((await list()).length, 5)
  await server.call('rollBackGeneration', { params: { workspace: 'shop', collection: 'things' } })
  assert.equal(await readBatches(), stateBefore)
})

test('generations survive a killed server unchanged, and an unfinished generation is dropped', async () => {
  const stateBefore = await list()
  const engineFolder = join(server.data, 'engine')
  const keptFolders = await readdir(engineFolder)
  const cut = request(`${server.baseUrl}/4/shop/collections/things/documents?replace=true`, {
    method: 'POST',
    headers: { authorization: `Bearer ${loader}`, 'content-type': 'application/x-ndjson' },
  })
  cut.on('error', () => {})
  let sentChunks = 0
  // The test does not compare their number, because a superseded generation may go in the meantime.
  while ((await readdir(engineFolder)).every(id => keptFolders.includes(id)) || sentChunks < 5) {
    if (!cut.write(`${documents(String(sentChunks), 2000)}\n`)) await once(cut, 'drain')
    sentChunks += 1
  }
  await server.kill()
  await server.restart()
  assert.deepEqual(await list(), stateBefore)
  // The start drops superseded generations too, because no query can be running on them.
  const remainingFolders = await readdir(engineFolder)
  assert.equal(remainingFolders.length, stateBefore.length)
  assert.deepEqual(
    remainingFolders.filter(id => !keptFolders.includes(id)),
    [],
  )
})

test('an import that is interrupted at the terminal says which documents are kept', async t => {
  const interrupted = async (flags: string[], isTaken: () => Promise<boolean>) => {
    const child = spawn(launcher, ['import', 'shop', 'things', '-', ...flags, '--data', server.data])
    t.after(() => child.kill('SIGKILL'))
    let stderr = ''
    child.stderr.on('data', chunk => {
      stderr += chunk
    })
    child.stdin.on('error', () => {})
    child.stdin.write(`${documents('9', 3000)}\n`)
    while (!(await isTaken()));
    child.kill('SIGINT')
    const [code] = await once(child, 'close')
    return `${code} ${stderr}`
  }
  const isBuilding = async () => (await list()).some(({ state }) => state === 'building')
  assert.equal(
    await interrupted(['--replace'], isBuilding),
    '1 querent: stopped before the end: no document was kept, and shop/things is unchanged\n',
  )
  const isCounted = async () => (await json(await get('e/batch:FILTER/p/value/9/count'))).total >= 2000
  assert.match(
    await interrupted([], isCounted),
    /^1 querent: .* the documents that the server accepted until then stay in shop\/things;/,
  )
})

test('documents export as NDJSON, which can be imported again, also compressed', async () => {
  await importBatch('11', 11, '--replace')
  const { code, stdout } = await runQuerent(['documents', 'export', 'shop', 'things', '--data', server.data])
  assert.equal(code, 0)
  assert.equal(stdout.trim().split('\n').length, 11)
  const array = (await server.run(['documents', 'export', 'shop', 'things'])) as unknown[]
  assert.deepEqual(
    array,
    stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line)),
  )
  const packed = join(folder, 'things.ndjson.gz')
  await writeFile(packed, gzipSync(stdout))
  assert.deepEqual(await server.run(['import', 'shop', 'things', packed, '--replace']), {
    accepted: 11,
    documents: 11,
    replaced: 0,
    rejected: 0,
    errors: [],
  })
  await writeFile(packed, gzipSync(stdout).subarray(0, 40))
  const cut = await runQuerent(['import', 'shop', 'things', packed, '--replace', '--data', server.data])
  assert.equal(cut.code, 1)
  assert.match(cut.stderr, /things\.ndjson\.gz cannot be read/)
  assert.equal(await readBatches(), '11')
})

test('the file extension determines the format', async () => {
  const csv = join(folder, 'things.csv')
  await writeFile(csv, 'id,title,batch,batch\r\nx1,"One, two",7,8\r\nx2,Two,7,\r\n')
  const json = join(folder, 'things.json')
  await writeFile(json, '[{"id":"x3"}]')
  assert.deepEqual(await server.run(['import', 'shop', 'things', csv, '--replace']), {
    accepted: 2,
    documents: 2,
    replaced: 0,
    rejected: 0,
    errors: [],
  })
  assert.equal(await readBatches(), '7,8')
  await server.run(['import', 'shop', 'things', json])
  const tabs = join(folder, 'things.tsv')
  await writeFile(tabs, 'id\ttitle, long\tbatch\nx4\tFour, five\t9\n')
  await server.run(['import', 'shop', 'things', tabs, '--replace'])
  assert.equal(await readBatches(), '9')
  const mixedFormats = await runQuerent(['import', 'shop', 'things', csv, json, '--data', server.data])
  assert.equal(mixedFormats.code, 2)
  assert.match(mixedFormats.stderr, /the files have the formats csv and json/)
})
