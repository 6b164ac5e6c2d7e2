import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { createKeyedLocks } from './read-write-lock.ts'

test('shared users run together; exclusive users run one at a time, in the order of the calls', async () => {
  const locks = createKeyedLocks()
  const events: string[] = []
  const step = (name: string, turns: number) => async () => {
    events.push(`${name} starts`)
    for (let count = 0; count < turns; count++) await turn()
    events.push(`${name} ends`)
  }
  await Promise.all([
    locks.withShared('k', step('a', 20)),
    locks.withShared('k', step('b', 10)),
    locks.withExclusive('k', step('c', 10)),
    locks.withExclusive('k', step('d', 1)),
    locks.withShared('k', step('e', 1)),
    locks.withShared('other', step('f', 1)),
  ])
  const order = events.filter(line => !line.startsWith('f')).join(', ')
  assert.equal(
    order,
    'a starts, b starts, b ends, a ends, c starts, c ends, d starts, d ends, e starts, e ends',
  )
  assert.ok(events.indexOf('f ends') < events.indexOf('c starts'), 'another key does not wait')
})

test('a failure does not block the next user', async () => {
  const locks = createKeyedLocks()
  const failing = locks.withExclusive('k', () => Promise.reject(new Error('no')))
  const next = locks.withShared('k', async () => 'yes')
  await assert.rejects(failing, /no/)
  assert.equal(await next, 'yes')
  await assert.rejects(
    locks.withShared('k', () => Promise.reject(new Error('nor'))),
    /nor/,
  )
  assert.equal(await locks.withExclusive('k', async () => 'yes'), 'yes')
})
