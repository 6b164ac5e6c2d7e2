import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMinuteCounter, secondsLeft } from './minute-counter.ts'

test('a minute starts with the first use of a key and counts until it ends', t => {
  let now = 1000
  t.mock.method(performance, 'now', () => now)
  const counter = createMinuteCounter(10)
  assert.equal(counter.peek('a'), undefined)
  counter.start('a').count += 1
  now += 59_000
  counter.start('a').count += 2
  counter.start('b').count += 1
  assert.equal(counter.peek('a')?.count, 3)
  assert.equal(counter.peek('b')?.count, 1)
  assert.equal(secondsLeft(counter.start('a')), 1)
  now += 1000
  assert.equal(counter.peek('a'), undefined)
  assert.equal(counter.start('a').count, 0)
  assert.equal(counter.start('b').count, 1)
})

test('beyond the bound, the least recently used key starts again from 0', () => {
  const counter = createMinuteCounter(2)
  for (const key of ['a', 'b', 'a', 'c']) counter.start(key).count += 1
  assert.equal(counter.peek('a')?.count, 2)
  assert.equal(counter.peek('b'), undefined)
  assert.equal(counter.peek('c')?.count, 1)
})
