/**
 * On a full disk, backups, removals, revocations and new keys work, because the server keeps room for them. Ordinary changes never take
 * this room. A small tmpfs is the disk, so the test needs root, or a namespace in which it is root.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { patienceMs } from '#server/test-wait'
import { runQuerent } from '#tests/support/command-line'
import { type Library, makeLibrary } from '#tests/support/library'
import { fetchToken, type ServerProcess, startServerProcess } from '#tests/support/started-server'

const isRoot = process.getuid?.() === 0
const otherDisk = mkdtempSync(join(tmpdir(), 'querent-other-disk-'))
const disk = mkdtempSync(join(tmpdir(), 'querent-small-disk-'))
let server: ServerProcess
let library: Library
before(async () => {
  if (!isRoot) return
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=96m', 'tmpfs', disk])
  process.env.QUERENT_TEST_DISK = disk
  server = await startServerProcess(['--metrics-port', '0'])
  library = await makeLibrary(server)
})
after(async () => {
  if (isRoot) {
    await server.stop()
    execFileSync('umount', ['--lazy', disk])
  }
  for (const folder of [disk, otherDisk]) rmSync(folder, { recursive: true, force: true })
})

const filler = () => join(disk, 'filler')
const fillDisk = () => {
  const file = openSync(filler(), 'a')
  try {
    for (const size of [1024 * 1024, 4096]) {
      try {
        for (;;) writeSync(file, Buffer.alloc(size, 1))
      } catch (error) {
        assert.match(String(error), /ENOSPC/)
      }
    }
  } finally {
    closeSync(file)
  }
}
const reserve = () => join(server.data, 'querent.db-reserve')
const run = (...args: string[]) => runQuerent([...args, '--data', server.data, '--json'])
const runWell = async (...args: string[]) => {
  const { code, stdout, stderr } = await run(...args)
  assert.equal(code, 0, `${args.join(' ')}: ${stderr}`)
  return JSON.parse(stdout || 'null')
}
const readyz = async () =>
  // docs/watch.md, Health.
  (await (await fetch(`${server.authUrl}/readyz`)).json()) as { disk?: { state: string } }

if (!isRoot)
  test('in a namespace', () => {
    execFileSync('unshare', [
      '--map-root-user',
      '--mount',
      process.execPath,
      '--test',
      fileURLToPath(import.meta.url),
    ])
  })
else
  test('a full disk keeps nobody from saving data and taking access away', async t => {
    const people = Array.from({ length: 6 }, (_, index) => `person${index}@example.org`)
    for (const person of people) {
      await runWell('users', 'create', person)
      await runWell('members', 'add', 'library', person, '--role', 'user')
    }
    const account = await runWell('s2s', 'create', 'library', 'late', '--role', 'data-provider')
    const importToken = await fetchToken(server, account)
    await t.waitFor(() => assert.equal(statSync(reserve()).size, 8 * 1024 * 1024), { timeout: patienceMs })
    fillDisk()
    const importRows = () =>
      fetch(`${server.baseUrl}/4/library/collections/books/documents`, {
        method: 'POST',
        headers: { authorization: `Bearer ${importToken}`, 'content-type': 'application/x-ndjson' },
        body: Array.from(
          { length: 500 },
          (_, index) =>
            `${JSON.stringify({ id: `full-${index}`, title: 'A row'.repeat(50), genre: [], pages: 1 })}\n`,
        ).join(''),
      })
    // Ordinary changes fail, and go on trying to take the room.
    while ((await importRows()).status === 200);
    let isTrying = true
    const trying = (async () => {
      while (isTrying)
        await importRows()
          .then(reply => reply.text())
          .catch(() => {})
    })()
    while ((await run('s2s', 'create', 'library', 'more', '--role', 'api')).code === 0) fillDisk()

    await t.waitFor(async () => assert.equal((await readyz()).disk?.state, 'full'), { timeout: patienceMs })
    const status = await library.get('library/status')
    // The contract's reply to `status`.
    assert.equal(((await status.json()) as { disk?: string }).disk, 'full')
    const doctor = JSON.parse((await run('doctor')).stdout)
    assert.equal(doctor.checks.find(({ name }: { name: string }) => name === 'disk').state, 'fail')

    const saved = await runWell('backup', join(otherDisk, 'full.backup'))
    assert.equal(saved.complete, true)
    for (const person of people.slice(0, 4)) await runWell('members', 'remove', 'library', person)
    await runWell('users', 'remove', people[4] ?? '')
    await runWell('users', 'disable', people[5] ?? '')
    const revoked = await fetchToken(server, library)
    const revocation = await fetch(`${server.authUrl}/oauth/revoke`, {
      method: 'POST',
      body: new URLSearchParams({
        token: revoked,
        client_id: library.clientId,
        client_secret: library.clientSecret,
      }),
    })
    assert.equal(revocation.status, 200)
    const afterwards = await fetch(`${server.baseUrl}/4/library/api/library/e/all/count`, {
      headers: { authorization: `Bearer ${revoked}` },
    })
    assert.equal(afterwards.status, 401)
    await runWell('keys', 'rotate')
    const [key] = await runWell('keys', 'list')
    await runWell('keys', 'withdraw', key.kid)
    await server.kill()
    isTrying = false
    await trying

    await server.restart()
    await runWell('s2s', 'remove', 'library', account.clientId)
    await runWell('backup', join(otherDisk, 'restarted.backup'))

    rmSync(filler())
    await t.waitFor(async () => assert.equal((await readyz()).disk, undefined), { timeout: patienceMs })
    await runWell('s2s', 'create', 'library', 'after', '--role', 'api')
    await t.waitFor(() => assert.equal(statSync(reserve()).size, 8 * 1024 * 1024), { timeout: patienceMs })
    const target = join(otherDisk, 'restored')
    const { stdout } = await runQuerent([
      'restore',
      join(otherDisk, 'full.backup'),
      '--data',
      target,
      '--json',
    ])
    assert.equal(JSON.parse(stdout).complete, true)
  })
