/** A collection that cannot be read never stops a backup: the rest is in it, and the command, the log and the console name what is missing. */
import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { runQuerent } from '#tests/support/command-line'
import { books, type Library, makeLibrary } from '#tests/support/library'
import { type ServerProcess, startServerProcess } from '#tests/support/started-server'

const folder = await mkdtemp(join(tmpdir(), 'querent-partial-'))
let server: ServerProcess
after(async () => {
  await server.stop()
  await rm(folder, { recursive: true })
})

const otherWorkspace = `
workspace: other
collections: { notes: { id: { field: id }, fields: { title: { type: text } } } }
apis: { notes: { access: public, endpoints: { all: { kind: all, collection: notes } } } }
`
const countNotes = () => fetch(`${server.baseUrl}/4/other/api/notes/e/all/count`)
const input = `${JSON.stringify({ id: 'n1', title: 'A note' })}\n`
const run = (...args: string[]) => runQuerent([...args, '--data', server.data, '--json'])

test('a backup without an unreadable collection says so everywhere, and so does the restored server', async () => {
  server = await startServerProcess()
  const library: Library = await makeLibrary(server)
  const foldersBefore = await readdir(join(server.data, 'engine'))
  await server.run(['apply', '-'], { input: otherWorkspace })
  await server.run(['import', 'other', 'notes', '-'], { input })
  const [damaged = ''] = (await readdir(join(server.data, 'engine'))).filter(
    name => !foldersBefore.includes(name),
  )
  await server.shutDown()
  const engineFolder = join(server.data, 'engine', damaged)
  for (const name of ['documents.db-wal', 'documents.db-shm'])
    await rm(join(engineFolder, name), { force: true })
  await writeFile(join(engineFolder, 'documents.db'), Buffer.alloc(64 * 1024, 'x'))
  await server.restart()

  const file = join(folder, 'partial.backup')
  const result = await run('backup', file)
  assert.equal(result.code, 1, result.stderr)
  const { complete, missing } = JSON.parse(result.stdout)
  assert.equal(complete, false)
  assert.equal(missing.length, 1)
  const { reason, ...gap } = missing[0]
  assert.deepEqual(gap, { workspace: 'other', collection: 'notes', generation: '1', live: true })
  assert.match(result.stderr, /other\/notes/)
  assert.doesNotMatch(result.stderr, /start it with/)
  assert.ok(reason.length > 0)
  // The reply of `querent audit`.
  const entries = (await server.run(['audit'])) as { action: string; detail: { missing?: unknown[] } }[]
  const entry = entries.find(({ action, detail }) => action === 'makeBackup' && detail.missing)
  assert.deepEqual(entry?.detail.missing, missing)
  assert.match(server.log(), /the backup is incomplete/)
  const doctor = JSON.parse((await run('doctor')).stdout)
  const check = doctor.checks.find(({ name }: { name: string }) => name === 'backup')
  assert.equal(check.state, 'fail')
  assert.match(check.message, /other\/notes/)

  await server.shutDown()
  await rm(server.data, { recursive: true })
  const restored = await run('restore', file)
  assert.equal(restored.code, 0, restored.stderr)
  const summary = JSON.parse(restored.stdout)
  assert.deepEqual([summary.complete, summary.missing, summary.documents], [false, missing, books.length])
  assert.match(restored.stderr, /other\/notes/)
  await server.restart()
  assert.equal((await library.get('library/e/all/count')).status, 200)
  const notesReply = await countNotes()
  // The contract's reply to an error.
  const { code } = (await notesReply.json()) as { code: string }
  assert.deepEqual([notesReply.status, code], [503, 'unavailable'], 'never served as if it were empty')
  assert.equal((await fetch(`${server.baseUrl}/4/other/api/notes/status`)).status, 503)
  const added = await runQuerent(['import', 'other', 'notes', '-', '--data', server.data], { input })
  assert.notEqual(added.code, 0, 'a document more would not make it complete')
  const secondBackup = await run('backup', join(folder, 'again.backup'))
  assert.equal(secondBackup.code, 1)

  await server.run(['import', 'other', 'notes', '-', '--replace'], { input })
  assert.deepEqual(await (await countNotes()).json(), { total: 1 })
})
