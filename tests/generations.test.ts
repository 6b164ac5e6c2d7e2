/** Generations from outside: queries while they are exchanged, stage, promote and roll back, and what is broken off. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { fetchToken, querent, type StartedServer, startServer } from './started-server.ts'

let server: StartedServer
let folder: string
let loader: string
before(async () => {
  server = await startServer()
  folder = await mkdtemp(join(tmpdir(), 'querent-generations-'))
  await apply(workspaceFile({}))
  // The reply of `querent s2s create --json` (command-line.md).
  const account = (await server.run(['s2s', 'create', 'shop', 'loader', '--role', 'data-provider'])) as {
    clientId: string
    clientSecret: string
  }
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
  return server.run(['apply', file])
}
const get = (path: string, init?: RequestInit) => fetch(`${server.baseUrl}/4/shop/api/shop/${path}`, init)
const json = async (reply: Response) => {
  const text = await reply.text()
  assert.equal(reply.status, 200, text)
  return JSON.parse(text)
}
const documents = (batch: string, count: number) =>
  Array.from({ length: count }, (_, at) =>
    JSON.stringify({ id: `t${at}`, title: `thing ${at}`, batch, mark: at % 2 === 0 ? 'even' : 'odd' }),
  ).join('\n')
const importing = (batch: string, count: number, ...flags: string[]) =>
  server.run(['import', 'shop', 'things', '-', ...flags], { input: documents(batch, count) })
const countOf = (batch: string) => 2000 + Number(batch)
const list = async () =>
  // The reply of `querent generations list --json`.
  (await server.run(['generations', 'list', 'shop', 'things'])) as {
    id: string
    documents: number
    state: string
    configurations: string[]
  }[]
const batchOf = async (config?: string) => {
  const reply = await json(await get(`e/all/options/batch${config ? `?config=${config}` : ''}`))
  return reply.options.map(({ value }: { value: string }) => value).join()
}

test('while fields change and collections are replaced, no query fails and each reply is wholly of one generation', async () => {
  await importing('1', countOf('1'), '--replace')
  let isOver = false
  const seen = { batches: new Set<string>(), answered: 0, marked: 0 }
  const paths = ['e/all/results?count=50', 'e/search/p/query/thing/results?count=50&offset=100']
  /** Documents and their total come in one reply, with facets in another: each must fit itself. */
  const ask = async (which: number) => {
    while (!isOver) {
      const { items } = await json(await get(paths[which % 2] ?? ''))
      const batches = new Set<string>(
        items.map(
          ({ tuple: [entity] }: { tuple: { attributes: { batch: string } }[] }) => entity?.attributes.batch,
        ),
      )
      assert.equal(batches.size, 1, 'results of one generation')
      assert.equal(items.length, 50)
      const { options } = await json(await get('e/all/options/batch'))
      assert.equal(options.length, 1, JSON.stringify(options))
      assert.equal(options[0].count, countOf(options[0].value), 'a facet of all documents of one generation')
      seen.batches.add(options[0].value)
      const marks = await get('e/all/options/mark')
      const reply = JSON.parse(await marks.text())
      if (marks.status === 200) {
        const [even, odd] = reply.options
        const total = even.count + odd.count
        assert.ok(total > 2000 && total < 2010, `the new field is there at once, in all documents: ${total}`)
        seen.marked += 1
      } else assert.deepEqual([marks.status, reply.code], [400, 'unknown-endpoint'])
      seen.answered += 1
    }
  }
  const asking = Array.from({ length: 8 }, (_, which) => ask(which))
  const changing = async () => {
    for (const batch of ['2', '3']) {
      await apply(workspaceFile({ isMarked: true }))
      await importing(batch, countOf(batch), '--replace')
      await apply(workspaceFile({}))
    }
  }
  try {
    await Promise.race([changing(), Promise.all(asking)])
  } finally {
    isOver = true
  }
  await Promise.all(asking)
  assert.ok(seen.answered > 20 && seen.marked > 0, JSON.stringify(seen))
  assert.deepEqual([...seen.batches].toSorted().slice(-1), ['3'])
})

test('what is staged answers for a configuration alone until it is promoted; the last three are kept', async () => {
  await apply(workspaceFile({ configurations: '{ default: {}, staging: { things: latest } }' }))
  await importing('4', 4, '--replace', '--stage')
  assert.deepEqual([await batchOf(), await batchOf('staging')], ['3', '4'])
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
  assert.equal(await batchOf(), '4')
  await server.run(['generations', 'rollback', 'shop', 'things'])
  assert.equal(await batchOf(), '3')
  assert.equal((await list()).length, 3)

  const missing = await querent(['generations', 'promote', 'shop', 'things', '99', '--data', server.data])
  assert.equal(missing.code, 1)
  assert.match(missing.stderr, /things has no generation 99; complete are: \d+, \d+, \d+/)
})

test('a generation is what it was after the server was killed; half of one is dropped', async () => {
  const before = await list()
  const engineFolder = join(server.data, 'engine')
  const kept = await readdir(engineFolder)
  const cut = request(`${server.baseUrl}/4/shop/collections/things/documents?replace=true`, {
    method: 'POST',
    headers: { authorization: `Bearer ${loader}`, 'content-type': 'application/x-ndjson' },
  })
  cut.on('error', () => {})
  let sent = 0
  // Not by their number: a superseded one may go meanwhile.
  while ((await readdir(engineFolder)).every(id => kept.includes(id)) || sent < 5) {
    if (!cut.write(`${documents(String(sent), 2000)}\n`)) await once(cut, 'drain')
    sent += 1
  }
  await server.kill()
  await server.restart()
  assert.deepEqual(await list(), before)
  // Superseded ones go at the start too: no query can be running on them.
  const left = await readdir(engineFolder)
  assert.equal(left.length, before.length)
  assert.deepEqual(
    left.filter(id => !kept.includes(id)),
    [],
  )
})

test('an import that is interrupted at the terminal says what is kept', async t => {
  const launcher = fileURLToPath(import.meta.resolve('querent/package.json')).replace(
    /package\.json$/,
    'bin/querent',
  )
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
    '1 querent: stopped before the end: nothing was kept, and shop/things is as it was\n',
  )
  const isCounted = async () => (await json(await get('e/batch:FILTER/p/value/9/count'))).total >= 2000
  assert.match(
    await interrupted([], isCounted),
    /^1 querent: .* what the server had taken until then stays in shop\/things;/,
  )
})

test('the ending of a file says its format', async () => {
  const csv = join(folder, 'things.csv')
  await writeFile(csv, 'id,title,batch,batch\r\nx1,"One, two",7,8\r\nx2,Two,7,\r\n')
  const json = join(folder, 'things.json')
  await writeFile(json, '[{"id":"x3"}]')
  assert.deepEqual(await server.run(['import', 'shop', 'things', csv, '--replace']), {
    accepted: 2,
    rejected: 0,
    errors: [],
  })
  assert.equal(await batchOf(), '7,8')
  await server.run(['import', 'shop', 'things', json])
  const both = await querent(['import', 'shop', 'things', csv, json, '--data', server.data])
  assert.equal(both.code, 2)
  assert.match(both.stderr, /the files end like csv and like json/)
})
