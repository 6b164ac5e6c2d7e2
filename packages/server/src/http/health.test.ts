import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { openHealth } from './health.ts'

const parts = (isHeard: boolean, ping?: () => Promise<void>) => ({
  directory: { isHeard: () => isHeard },
  engine: ping ? { ping } : {},
  keyring: { publicJwks: () => [{}] },
})

test('it is not ready before all is there, nor once it was told to stop', () => {
  const health = openHealth()
  assert.ok(health.failing('authorization').includes('start'))
  health.begin(parts(true))
  assert.deepEqual(health.failing(), [])
  health.stop()
  assert.deepEqual(health.failing(), ['stop'])
})

test('storage that is away is borne as long as what is known is served', () => {
  const health = openHealth()
  health.begin(parts(true))
  assert.deepEqual(health.failing(), [])
  health.begin(parts(false))
  assert.deepEqual(health.failing(), ['storage'])
})

test('an engine that does not answer keeps queries away, not tokens; it is ready again when it answers', async t => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const health = openHealth()
  let answers = false
  const ping = async () => {
    if (!answers) throw new Error('nobody there')
  }
  health.begin(parts(true, ping))
  const asked = async () => {
    t.mock.timers.tick(2000)
    // The answer to the ping has come.
    await new Promise(resolve => setImmediate(resolve))
  }
  await asked()
  assert.deepEqual([health.failing('query'), health.failing('authorization')], [['engine'], []])
  answers = true
  await asked()
  assert.deepEqual(health.failing('query'), [])
  health.close()
})

test('a check that throws is one that fails: it does not end the process', async t => {
  const health = openHealth()
  const { engine, keyring } = parts(true)
  const isHeard = () => {
    throw new TypeError('nobody expected this')
  }
  health.begin({ directory: { isHeard }, engine, keyring })
  const server = createServer((request, response) => health.answer(request, response))
  t.after(() => server.close())
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const reply = await fetch(`http://127.0.0.1:${port}/readyz`)
  const { code, message } = (await reply.json()) as { code: string; message: string }
  assert.deepEqual(
    [reply.status, code, message],
    [503, 'unavailable', 'not ready: a check could not be made'],
  )
})
