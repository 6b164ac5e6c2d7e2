import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { openHealth } from './health.ts'

const parts = (isFresh: boolean, ping?: () => Promise<void>) => ({
  storage: { isAway: () => !isFresh },
  directory: { isFresh: () => isFresh },
  engine: ping ? { ping } : {},
  keyring: { publicJwks: () => [{}] },
})

test('a server is not ready before its start is complete or after it starts to stop', () => {
  const health = openHealth()
  assert.ok(health.failing('authorization').includes('start'))
  health.begin(parts(true))
  assert.deepEqual(health.failing(), [])
  health.stop()
  assert.deepEqual(health.failing(), ['stop'])
})

test('a node without storage is not ready, or with `serve` ready until its memberships are stale', () => {
  const [aside, serving] = [openHealth(), openHealth(undefined, 'serve')]
  const [away, unheard] = [{ ...parts(true), storage: { isAway: () => true } }, parts(false)]
  for (const health of [aside, serving]) {
    health.begin(parts(true))
    assert.deepEqual(health.failing(), [])
    health.begin(unheard)
    assert.deepEqual(health.failing(), ['storage'])
    health.begin(away)
  }
  assert.deepEqual([aside.failing(), serving.failing()], [['storage'], []])
})

test('without its engine the query service is not ready and the authorization server is; both are once it responds', async t => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const health = openHealth()
  let answers = false
  const ping = async () => {
    if (!answers) throw new Error('nobody there')
  }
  health.begin(parts(true, ping))
  const runPing = async () => {
    t.mock.timers.tick(2000)
    // Wait for the reply to the ping.
    await new Promise(resolve => setImmediate(resolve))
  }
  await runPing()
  assert.deepEqual([health.failing('query'), health.failing('authorization')], [['engine'], []])
  answers = true
  await runPing()
  assert.deepEqual(health.failing('query'), [])
  health.close()
})

test('a check that throws counts as failed and does not end the process', async t => {
  const health = openHealth()
  const { storage, engine, keyring } = parts(true)
  const isFresh = () => {
    throw new TypeError('nobody expected this')
  }
  health.begin({ storage, directory: { isFresh: isFresh }, engine, keyring })
  const server = createServer((request, response) => health.answer(request, response))
  t.after(() => server.close())
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const reply = await fetch(`http://127.0.0.1:${port}/readyz`)
  const { code, message } = (await reply.json()) as { code: string; message: string }
  assert.deepEqual([reply.status, code, message], [503, 'unavailable', 'not ready: a check threw an error'])
})

test('a collection that is down is counted without its name, and leaves the node ready', async t => {
  const health = openHealth()
  const down = new Map([['0b3c', { code: 'unavailable' as const, message: 'secret/path' }]])
  health.begin({ ...parts(true), engine: { failures: () => down } })
  const server = createServer((request, response) => health.answer(request, response))
  t.after(() => server.close())
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const read = async () => {
    const reply = await fetch(`http://127.0.0.1:${port}/readyz`)
    const text = await reply.text()
    assert.doesNotMatch(text, /0b3c|secret/)
    return { status: reply.status, checks: JSON.parse(text).checks as { name: string }[] }
  }
  const find = ({ checks }: Awaited<ReturnType<typeof read>>) =>
    checks.find(({ name }) => name === 'collections')
  const bad = await read()
  assert.deepEqual([bad.status, find(bad)], [200, { name: 'collections', state: 'warn', down: 1 }])
  down.clear()
  assert.deepEqual(find(await read()), { name: 'collections', state: 'ok' })
})
