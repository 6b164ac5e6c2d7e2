/** Stopping notifies balancers first, ends connections gracefully, and loses nothing that was acknowledged. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, get, type IncomingMessage, request } from 'node:http'
import { test } from 'node:test'
import { patienceMs, withPatience } from '#server/test-wait'
import { makeLibrary } from '#tests/support/library'
import { fetchToken, startServerProcess } from '#tests/support/started-server'

/** A time for running requests that no test waits for: without any, the server stops at once. */
const beyondPatience = String((10 * patienceMs) / 1000)

/** Sends a request over a kept-alive connection. */
const ask = async (
  agent: Agent,
  url: string,
  token?: string,
): Promise<IncomingMessage & { text: string }> => {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const [reply] = (await once(get(url, { agent, headers }), 'response')) as [IncomingMessage]
  let text = ''
  for await (const chunk of reply.setEncoding('utf8')) text += chunk
  return Object.assign(reply, { text })
}

test('both origins report liveness and readiness, and reveal no more than the names of checks', async t => {
  const server = await startServerProcess(['--shutdown-seconds', beyondPatience])
  t.after(() => server.stop())
  const checks = {
    query: ['start', 'storage', 'engine', 'collections', 'keys', 'stop'],
    authorization: ['start', 'storage', 'keys', 'stop'],
  }
  for (const [url, names] of [
    [server.baseUrl, checks.query],
    [server.authUrl, checks.authorization],
  ] as const) {
    const alive = await fetch(`${url}/healthz`)
    assert.deepEqual([alive.status, await alive.json()], [200, { ok: true }])
    const ready = await fetch(`${url}/readyz?from=balancer`)
    assert.deepEqual(
      [ready.status, await ready.json()],
      [200, { ok: true, checks: names.map(name => ({ name, state: 'ok' })) }],
    )
    assert.equal(ready.headers.get('cache-control'), 'no-store')
    const head = await fetch(`${url}/readyz`, { method: 'HEAD' })
    assert.deepEqual([head.status, await head.text()], [200, ''])
    const posted = await fetch(`${url}/readyz`, { method: 'POST' })
    assert.deepEqual([posted.status, posted.headers.get('allow')], [405, 'GET, HEAD'])
    assert.equal((await fetch(`${url}/readyz/more`)).status, 404)
  }
  // Ctrl-C works like SIGTERM. Nothing runs, so it does not wait for the end of the time for running requests.
  process.kill(server.pid(), 'SIGINT')
  await t.waitFor(() => assert.throws(() => process.kill(server.pid(), 0)), { timeout: patienceMs })
})

test('after SIGTERM a server reports that it is not ready, keeps answering, closes its connections, then stops by itself', async t => {
  const server = await startServerProcess(['--drain-seconds', '10', '--shutdown-seconds', beyondPatience])
  t.after(() => server.stop())
  const library = await makeLibrary(server)
  const agent = new Agent({ keepAlive: true })
  t.after(() => agent.destroy())
  const count = `${server.baseUrl}/4/library/api/library/e/all/count`
  const firstReply = await ask(agent, count, library.token)
  assert.deepEqual([firstReply.statusCode, firstReply.headers.connection], [200, 'keep-alive'])
  const stopped = server.shutDown()
  await t.waitFor(async () => assert.equal((await fetch(`${server.authUrl}/readyz`)).status, 503), {
    timeout: patienceMs,
  })
  const unready = await ask(agent, `${server.baseUrl}/readyz`)
  assert.deepEqual(
    [unready.statusCode, unready.headers['retry-after'], unready.headers.connection],
    [503, '1', 'close'],
  )
  const { message, status, code, checks } = JSON.parse(unready.text)
  assert.deepEqual([message, status, code], ['not ready: it is stopping', 503, 'unavailable'])
  assert.deepEqual(checks.at(-1), { name: 'stop', state: 'fail' })
  assert.equal((await fetch(`${server.baseUrl}/healthz`)).status, 200)
  const meanwhile = await ask(agent, count, library.token)
  assert.deepEqual([meanwhile.statusCode, meanwhile.headers.connection], [200, 'close'])
  assert.ok(await fetchToken(server, library))
  await withPatience(stopped, () => 'it stops soon after the drain')
  await assert.rejects(fetch(`${server.baseUrl}/healthz`))
})

test('an import that does not finish in time is cut off, its documents are kept, and every reply is complete', async t => {
  const server = await startServerProcess(['--shutdown-seconds', '1'])
  t.after(() => server.stop())
  const library = await makeLibrary(server)
  const { clientId, clientSecret } = (await server.run([
    's2s',
    'create',
    'library',
    'loader',
    '--role',
    'data-provider',
  ])) as { clientId: string; clientSecret: string }
  const token = await fetchToken(server, { clientId, clientSecret })
  const importRequest = request(`${server.baseUrl}/4/library/collections/books/documents?import=long`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
  })
  const broken = once(importRequest, 'error')
  for (let index = 0; index < 5000; index++)
    importRequest.write(`{"id":"long${index}","title":"long","pages":${index}}\n`)
  const progress = async () => {
    const url = `${server.baseUrl}/4/library/collections/books/imports/long`
    return (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).json() as Promise<{
      documents: number
    }>
  }
  await t.waitFor(async () => assert.ok((await progress()).documents >= 4000), { timeout: patienceMs })
  const { documents } = await progress()
  await server.shutDown()
  await broken
  assert.match(server.log(), /stopped before the last requests ended: their connections were cut/)
  assert.doesNotMatch(server.log(), /"level":50/, 'a stop is no fault')
  await server.restart()
  const { total } = (await (await library.get('library/e/all/count')).json()) as { total: number }
  assert.ok(total >= 200 + documents && total <= 200 + 5000, `${total} documents, ${documents} were written`)
})
