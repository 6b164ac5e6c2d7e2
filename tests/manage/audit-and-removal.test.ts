/** The audit log of the whole server, and the removal of a workspace with all its data. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, test } from 'node:test'
import type { ServerAuditEntry } from '@querent/contract/manage'
import { launcher, runQuerent } from '#tests/support/command-line'
import { type Library, makeLibrary } from '#tests/support/library'
import { type ServerProcess, startServerProcess } from '#tests/support/started-server'

let server: ServerProcess
let library: Library
before(async () => {
  server = await startServerProcess()
  library = await makeLibrary(server)
})
after(() => server?.stop())

/** The parts of a line to compare. */
const summarizeEntry = ({ action, target, workspace }: ServerAuditEntry) => ({ action, target, workspace })
const log = async (...args: string[]) => (await server.run(['audit', ...args])) as ServerAuditEntry[]

test('the audit log lists actions in workspaces and on the server, oldest first', async () => {
  await server.call('createUser', { input: { email: 'first@example.org' } })
  await server.call('createApplication', {
    params: { workspace: library.workspace },
    input: { name: 'Finder', redirectUris: ['https://app.example/'] },
  })
  const entries = await log()
  assert.deepEqual(
    entries.map(({ id }) => Number(id)),
    entries.map(({ id }) => Number(id)).toSorted((a, b) => a - b),
  )
  const [user, app] = entries.slice(-2).map(summarizeEntry)
  assert.deepEqual(user, { action: 'createUser', target: 'first@example.org', workspace: null })
  assert.deepEqual(app, { action: 'createApplication', target: app?.target, workspace: library.workspace })
  assert.deepEqual((await log('--count', '1')).map(summarizeEntry), [app])
  const printedLog = await runQuerent(['audit', '--data', server.data, '--count', '2'])
  assert.match(
    printedLog.stdout,
    /^\S+ {2}createUser {2}first@example.org {2}- {2}by ada@example.org {2}from 127/,
  )
})

test('audit --follow prints each new entry once, as one JSON value per line', async () => {
  const [last] = await log('--count', '1')
  const child = spawn(launcher, ['audit', '--follow', '--count', '1', '--json', '--data', server.data])
  try {
    // Keeps the lines that arrive while nobody waits for one.
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const next = async () => JSON.parse((await lines.next()).value ?? '') as ServerAuditEntry
    assert.deepEqual(await next(), last)
    for (const email of ['second@example.org', 'third@example.org']) {
      await server.call('createUser', { input: { email } })
      assert.deepEqual(summarizeEntry(await next()), { action: 'createUser', target: email, workspace: null })
    }
  } finally {
    child.kill('SIGKILL')
  }
})

test('removing a workspace removes its accounts, members and documents at once, and the audit log names who did it', async () => {
  const otherLibrary = await makeLibrary(server, 'other')
  const generations = async () => (await readdir(join(server.data, 'engine'))).toSorted()
  const query = async ({ get }: Library) => (await get('library/e/all/count')).status
  assert.deepEqual([await query(library), await query(otherLibrary)], [200, 200])
  const generationsBefore = await generations()
  const removed = await server.run(['workspaces', 'remove', library.workspace])
  assert.deepEqual(removed, { workspace: library.workspace, removed: true })
  assert.deepEqual(await generations(), generationsBefore, 'kept for the queries that may still run')

  assert.equal(await query(library), 401)
  const open = `${server.baseUrl}/4/${library.workspace}/api/open/e/all/count`
  assert.equal((await fetch(open)).status, 401)
  const token = await fetch(`${server.authUrl}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: library.clientId,
      client_secret: library.clientSecret,
      audience: server.baseUrl,
    }),
  })
  assert.equal(token.status, 401)
  assert.equal(await query(otherLibrary), 200)
  const secondRemoval = await runQuerent(['workspaces', 'remove', library.workspace, '--data', server.data])
  assert.deepEqual(
    [secondRemoval.code, /no workspace "library"/.test(secondRemoval.stderr)],
    [1, true],
    secondRemoval.stderr,
  )
  const [entry] = await log('--count', '1')
  assert.deepEqual(entry && summarizeEntry(entry), {
    action: 'removeWorkspace',
    target: library.workspace,
    workspace: null,
  })
  assert.equal(entry?.actor, 'ada@example.org')

  // A new workspace with the same name is a different one.
  const recreatedLibrary = await makeLibrary(server, library.workspace)
  assert.deepEqual([await query(library), await query(recreatedLibrary)], [401, 200])
  await server.shutDown()
  await server.restart()
  assert.equal((await generations()).length, generationsBefore.length)
})
