/** Documents that are lost or replaced by older ones are never answered from the rest, and there is a way back. */
import assert from 'node:assert/strict'
import { readdir, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { runQuerent } from '#tests/support/command-line'
import { makeLibrary } from '#tests/support/library'
import { fetchToken, findErrorLines, startServerProcess } from '#tests/support/started-server'

interface Reply {
  status: number
  body: { code?: string; total?: number }
}

test('a lost engine folder gives 503 for its collections after each start, until the documents are imported again', async t => {
  const server = await startServerProcess()
  t.after(() => server.stop())
  const library = await makeLibrary(server)
  const account = (await server.run(['s2s', 'create', 'library', 'loader', '--role', 'data-provider'])) as {
    clientId: string
    clientSecret: string
  }
  const token = await fetchToken(server, account)
  const count = async (): Promise<Reply> => {
    const reply = await library.get('library/e/all/count')
    // The contract's replies.
    return { status: reply.status, body: (await reply.json()) as Reply['body'] }
  }
  const send = async (query = ''): Promise<Reply> => {
    const reply = await fetch(`${server.baseUrl}/4/library/collections/books/documents${query}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
      body: JSON.stringify({ id: 'one', title: 'again', genre: [], pages: 1 }),
    })
    return { status: reply.status, body: (await reply.json()) as Reply['body'] }
  }
  const readFolder = async () =>
    join(server.data, 'engine', (await readdir(join(server.data, 'engine')))[0] ?? '')

  // After a clean stop the databases have everything.
  await server.shutDown()
  for (const file of [join(server.data, 'querent.db-wal'), join(await readFolder(), 'documents.db-wal')])
    assert.equal(
      await stat(file).then(
        ({ size }) => size,
        () => 0,
      ),
      0,
    )

  await rm(join(server.data, 'engine'), { recursive: true })
  for (let start = 0; start < 2; start++) {
    await server.restart()
    for (const reply of [await count(), await send()])
      assert.deepEqual([reply.status, reply.body.code], [503, 'documents-lost'])
    const ready = await fetch(`${server.baseUrl}/readyz`)
    const text = await ready.text()
    assert.equal(ready.status, 200)
    const { checks } = JSON.parse(text) as { checks: { name: string; state: string }[] }
    assert.equal(checks.find(({ name }) => name === 'collections')?.state, 'warn')
    assert.doesNotMatch(text, /books/)
    assert.match(findErrorLines(server.log()), /"workspace":"library","collection":"books"/)
    const { stdout } = await runQuerent(['doctor', '--data', server.data, '--json'])
    const engine = JSON.parse(stdout).checks.find(({ name }: { name: string }) => name === 'engine')
    assert.equal(engine.state, 'fail')
    assert.match(engine.message, /library\/books/)
    if (start === 0) await server.kill()
  }
  assert.equal((await send('?replace=true')).status, 200)
  assert.deepEqual(await count(), { status: 200, body: { total: 1 } })
  await server.kill()
  await server.restart()
  assert.deepEqual(await count(), { status: 200, body: { total: 1 } })
})

test('a shorter log after a kill gives 503, and never an older state', async t => {
  const server = await startServerProcess()
  t.after(() => server.stop())
  const library = await makeLibrary(server)
  await server.kill()
  const [generation = ''] = await readdir(join(server.data, 'engine'))
  const log = join(server.data, 'engine', generation, 'documents.db-wal')
  await truncate(log, (await stat(log)).size >> 1)
  await server.restart()
  const reply = await library.get('library/e/all/count')
  assert.deepEqual([reply.status, ((await reply.json()) as Reply['body']).code], [503, 'documents-lost'])
})

test('a damaged storage refuses the start with the name of its file', async t => {
  const server = await startServerProcess()
  t.after(() => server.stop())
  await server.shutDown()
  const file = join(server.data, 'querent.db')
  await writeFile(file, 'rubbish'.repeat(2000))
  const { code, stderr } = await runQuerent([
    'serve',
    '--data',
    server.data,
    '--port',
    '0',
    '--auth-port',
    '0',
  ])
  assert.notEqual(code, 0)
  assert.ok(stderr.includes(file) && stderr.includes('restore'), stderr)
})
