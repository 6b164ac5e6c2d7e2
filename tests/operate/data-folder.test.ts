import assert from 'node:assert/strict'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { makeLibrary } from '#tests/support/library'
import { ignoreMissingFile, type StartedServer, startServer } from '#tests/support/started-server'

let server: StartedServer
before(async () => {
  server = await startServer()
  await makeLibrary(server)
})
after(() => server.stop())

test('only the owner can read files of the data folder', async () => {
  const entries = await readdir(server.data, { recursive: true })
  assert.ok(entries.some(name => name.endsWith('.db')))
  const open: string[] = []
  for (const name of entries) {
    const { mode } = await ignoreMissingFile<{ mode: number }>(stat(join(server.data, name)), { mode: 0 })
    if ((mode & 0o077) !== 0) open.push(name)
  }
  assert.deepEqual(open, [])
})
