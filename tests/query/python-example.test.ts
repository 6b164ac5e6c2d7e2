/** The Python example of `examples/`, run from a clean folder. */
import assert from 'node:assert/strict'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { root } from '#tests/support/bundled-page'
import { makeLibrary } from '#tests/support/library'
import { runExample } from '#tests/support/library-examples'
import { startServer } from '#tests/support/started-server'

test('the script prints the first results, and an error says what is wrong', async t => {
  const server = await startServer()
  t.after(() => server.stop())
  const { clientId, clientSecret } = await makeLibrary(server)
  const folder = await mkdtemp(join(tmpdir(), 'querent-python-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  await copyFile(join(root, 'examples', 'python', 'search.py'), join(folder, 'search.py'))
  const env = { AUTH_URL: server.authUrl, BASE_URL: server.baseUrl, WORKSPACE: 'library', API: 'library' }
  const run = (secret: string, ...words: string[]) =>
    runExample('python3', {
      args: ['search.py', ...words],
      folder,
      client: { clientId, clientSecret: secret },
      env,
    })
  const lines = (await run(clientSecret, 'silent', 'river')).trim().split('\n')
  assert.equal(lines.length, 10)
  assert.match(lines[0] ?? '', /^1 The silent /)
  await assert.rejects(run('wrong', 'river'), /401/)
})
