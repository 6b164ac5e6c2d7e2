import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { openLocalGates } from './read-write-lock.ts'

test('those that share run together; who is alone runs by itself, in the order of the calls', async () => {
  const gates = openLocalGates()
  const seen: string[] = []
  const step = (name: string, ms: number) => async () => {
    seen.push(`${name} starts`)
    await wait(ms)
    seen.push(`${name} ends`)
  }
  await Promise.all([
    gates.share('k', step('a', 20)),
    gates.share('k', step('b', 10)),
    gates.alone('k', step('c', 10)),
    gates.alone('k', step('d', 1)),
    gates.share('k', step('e', 1)),
    gates.share('other', step('f', 1)),
  ])
  const order = seen.filter(line => !line.startsWith('f')).join(', ')
  assert.equal(
    order,
    'a starts, b starts, b ends, a ends, c starts, c ends, d starts, d ends, e starts, e ends',
  )
  assert.ok(seen.indexOf('f ends') < seen.indexOf('c starts'), 'another key does not wait')
})

test('a failure is its own: the next gets through', async () => {
  const gates = openLocalGates()
  const failing = gates.alone('k', () => Promise.reject(new Error('no')))
  const next = gates.share('k', async () => 'yes')
  await assert.rejects(failing, /no/)
  assert.equal(await next, 'yes')
  await assert.rejects(
    gates.share('k', () => Promise.reject(new Error('nor'))),
    /nor/,
  )
  assert.equal(await gates.alone('k', async () => 'yes'), 'yes')
})
