/**
 * The current version opens the data folder and the backup of every released version: people sign in, accounts get tokens, and the documents
 * are found. `upgrades/make.ts` makes them.
 */
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { launcher, runQuerent } from '#tests/support/command-line'
import { books } from '#tests/support/library'
import { openPerson } from '#tests/support/person'
import { consoleToken } from '#tests/support/query-sign-in'
import { fetchToken, waitUntilReady } from '#tests/support/started-server'

const folder = join(import.meta.dirname, 'upgrades')
const versions = (await readdir(folder, { withFileTypes: true }))
  .filter(entry => entry.isDirectory())
  .map(({ name }) => name)

interface Credentials {
  client: { clientId: string; clientSecret: string }
  person: { email: string; password: string }
}

const makeFolder = async (t: TestContext): Promise<string> => {
  const path = await mkdtemp(join(tmpdir(), 'querent-upgrade-'))
  t.after(() => rm(path, { recursive: true }))
  return path
}

/** Starts a server on the data folder, and checks that everything in it works. */
const checkData = async (t: TestContext, data: string, version: string): Promise<void> => {
  const child = spawn(launcher, ['serve', '--data', data, '--json', '--port', '0', '--auth-port', '0'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.after(async () => {
    const closed = once(child, 'close')
    if (child.kill('SIGTERM')) await closed
  })
  const server = await waitUntilReady(child)
  const { client, person } = JSON.parse(
    await readFile(join(folder, version, 'credentials.json'), 'utf8'),
  ) as Credentials
  const token = await fetchToken(server, client)
  const query = async (path: string): Promise<unknown> => {
    const reply = await fetch(`${server.baseUrl}/4/library/api/library/${path}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    assert.equal(reply.status, 200, path)
    return reply.json()
  }
  assert.deepEqual(await query('e/all/count'), { total: books.length })
  const { items } = (await query('e/search/p/query/silent/results?count=1')) as { items: unknown[] }
  assert.equal(items.length, 1)
  assert.ok(await consoleToken(server, openPerson(server, person.email, person.password)))
  const { code, stderr } = await runQuerent(['import', 'library', 'books', '-', '--data', data], {
    input: JSON.stringify({ ...books[0], id: 'new-book' }),
  })
  assert.equal(code, 0, stderr)
  assert.deepEqual(await query('e/all/count'), { total: books.length + 1 })
}

for (const version of versions) {
  test(`a data folder of ${version} serves after an upgrade`, async t => {
    const folderOfCopy = await makeFolder(t)
    await promisify(execFile)('tar', ['-xzf', join(folder, version, 'data.tar.gz'), '-C', folderOfCopy])
    await checkData(t, join(folderOfCopy, 'data'), version)
  })

  test(`a backup of ${version} can be restored`, async t => {
    const data = join(await makeFolder(t), 'data')
    const { code, stderr } = await runQuerent([
      'restore',
      join(folder, version, 'querent.backup'),
      '--data',
      data,
    ])
    assert.equal(code, 0, stderr)
    await checkData(t, data, version)
  })
}
