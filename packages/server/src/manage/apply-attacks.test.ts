/** Expensive workspace files. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Problem } from '#errors'
import { openWorkerPool } from '#workers/worker-pool'
import { openTestServer, type Person } from './test-server.ts'
import { openWorkspaceFileReader } from './workspace-file-reader.ts'

let server: Awaited<ReturnType<typeof openTestServer>>
before(async () => {
  server = await openTestServer()
})
after(() => server.close())

const apply = (person: Person, source: string) =>
  server.call(person, 'POST', '/manage/v1/apply', { source, dryRun: true })
const deep = '['.repeat(1_000_000)
/** Takes a second to parse. Longer lists are refused at once. */
const wide = `[${`[${'a,'.repeat(9_000)}],`.repeat(30)}]`

test('a file is rejected before it is parsed if the caller may not apply it, so the caller learns nothing', async () => {
  for (const [person, source, expectedStatus] of [
    ['eve', `workspace: books\nx: ${deep}`, 403],
    ['eve', `{"workspace":"books","x":${deep}`, 403],
    ['eve', `workspace: missing\nx: ${deep}`, 403],
    ['apollo', `workspace: books\nx: ${deep}`, 403],
    // If the scan finds no name, the caller needs an editing role in some workspace.
    ['dora', deep, 403],
    ['dora', `? workspace\n: books\nx: ${deep}`, 403],
    ['ursula', `workspace: books\nx: ${deep}`, 400],
    ['ursula', deep, 400],
    ['operator', `workspace: missing\nx: ${deep}`, 400],
  ] as const) {
    const { status, body } = await apply(person, source)
    assert.deepEqual(
      [status, body.code],
      [expectedStatus, expectedStatus === 403 ? 'insufficient-scope' : 'bad-workspace-file'],
      `${person} ${source.slice(0, 40)}`,
    )
  }
})

test('a name that only a scan finds opens nothing: the parsed one decides', async () => {
  const file = '{ # workspace: books }\n workspace: films, title: Mine now }'
  assert.equal((await apply('ursula', file)).status, 403)
  assert.equal((await apply('operator', file)).body.workspace, 'films')
})

test('a file that takes a second to parse delays no other request', async () => {
  const order: string[] = []
  const note = (name: string) => () => order.push(name)
  const hostile = apply('ada', `workspace: books\nx: ${wide}`)
  const listRequests = [1, 2, 3].map(() => server.call('eve', 'GET', '/manage/v1/workspaces'))
  await Promise.all([
    hostile.then(note('hostile')),
    ...listRequests.map(listRequest => listRequest.then(note('other'))),
  ])
  assert.deepEqual(order, ['other', 'other', 'other', 'hostile'])
  assert.equal((await hostile).status, 400)
})

test('for each account the server parses one file at a time, queues a few, and limits the bytes per minute', async () => {
  const pool = openWorkerPool({
    threads: 2,
    ownerRunningMax: 2,
    ownerWaitingMax: 8,
    waitingMax: 8,
    timeLimitMs: 60_000,
    idleMs: 60_000,
  })
  const [ada, eve] = ['ada', 'eve'].map(account => ({ account, owner: 'books' }))
  assert.ok(ada && eve)
  const small = 'workspace: a'
  const reader = openWorkspaceFileReader(pool, { atOnceMax: 2, bytesPerMinuteMax: 3 * small.length })
  const isRefused = (error: unknown) => error instanceof Problem && error.code === 'too-many-requests'
  const reads = [1, 2].map(() => reader.read(ada, small))
  await assert.rejects(reader.read(ada, small), isRefused)
  assert.deepEqual(await Promise.all(reads), [{ workspace: 'a' }, { workspace: 'a' }])
  assert.equal(pool.size(), 1)
  await reader.read(ada, small)
  await assert.rejects(reader.read(ada, small), isRefused)
  assert.deepEqual(await reader.read(eve, small), { workspace: 'a' })
})
