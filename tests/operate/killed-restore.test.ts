/** A restore or backup that is killed leaves nothing in the way of the next one. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { freshDatabase } from '#server/storage/test-postgres'
import { launcher, runQuerent } from '#tests/support/command-line'
import { makeLibrary } from '#tests/support/library'
import { type ServerProcess, startServerProcess } from '#tests/support/started-server'

let server: ServerProcess
let folder: string
let file: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'querent-killed-'))
  server = await startServerProcess()
  await makeLibrary(server)
  file = join(folder, 'whole.backup')
  await server.run(['backup', file])
})
after(async () => {
  await server.stop()
  await rm(folder, { recursive: true })
})

/** Kills a restore as soon as the folder has a file of this name. */
const killRestore = async (data: string, name: string, env: Record<string, string>) => {
  const child = spawn(launcher, ['restore', file, '--data', data], {
    env: { ...process.env, ...env },
    stdio: 'ignore',
  })
  const exit = once(child, 'exit')
  while (!existsSync(join(data, name)) && child.exitCode === null) await new Promise(setImmediate)
  child.kill('SIGKILL')
  await exit
}

for (const kind of ['SQLite', 'PostgreSQL'])
  test(`after a restore to ${kind} was killed, serve says what to do, and restore works`, async () => {
    for (const name of kind === 'SQLite' ? ['restoring', 'querent.db'] : ['engine']) {
      const env = { QUERENT_STORAGE: kind === 'SQLite' ? '' : await freshDatabase() }
      const data = join(folder, `${kind} ${name}`)
      await killRestore(data, name, env)
      if (existsSync(join(data, 'restoring'))) {
        const start = await runQuerent(['serve', '--data', data, '--port', '0', '--auth-port', '0'], { env })
        assert.equal(start.code, 1)
        assert.match(start.stderr, /a restore into .* did not finish: run 'querent restore' again/)
      }
      const restored = await runQuerent(['restore', file, '--data', data, '--json'], { env })
      assert.equal(restored.code, 0, restored.stderr)
      assert.equal(JSON.parse(restored.stdout).documents, 200)
      assert.ok(!existsSync(join(data, 'restoring')))
    }
  })

test('an unfinished restore with files of somebody else is not cleared', async () => {
  const data = join(folder, 'precious')
  await killRestore(data, 'restoring', {})
  await writeFile(join(data, 'precious'), 'precious')
  const refusal = await runQuerent(['restore', file, '--data', data])
  assert.equal(refusal.code, 1)
  assert.ok(existsSync(join(data, 'precious')))
})

test('the next backup removes what a killed one left, and nothing else', async () => {
  const endedProcess = spawn('true')
  await once(endedProcess, 'exit')
  const backups = await mkdtemp(join(folder, 'backups-'))
  const part = (pid: number | undefined) => `.querent-backup-${hostname()}-${pid}-00000000`
  for (const name of [part(endedProcess.pid), part(process.pid), 'other.part'])
    await writeFile(join(backups, name), '')
  await server.run(['backup', join(backups, 'b')])
  assert.deepEqual((await readdir(backups)).toSorted(), [part(process.pid), 'b', 'other.part'].toSorted())
})
