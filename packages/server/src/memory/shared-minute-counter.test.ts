import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { allocateMinuteCounter, createSharedMinuteCounter } from './shared-minute-counter.ts'

test('counts each key on its own, and shows the count without adding to it', () => {
  const counter = createSharedMinuteCounter(allocateMinuteCounter(1_000))
  assert.equal(counter.peek('a'), undefined)
  assert.equal(counter.add('a').count, 1)
  assert.equal(counter.add('a').count, 2)
  assert.equal(counter.add('b').count, 1)
  assert.equal(counter.peek('a')?.count, 2)
})

test('a minute ends, and a new one starts from 0', t => {
  t.mock.method(performance, 'now', () => now)
  let now = 1_000
  const counter = createSharedMinuteCounter(allocateMinuteCounter(1_000))
  const { endsAt } = counter.add('a')
  assert.ok(endsAt - now > 59_000 && endsAt - now <= 60_100)
  now += 59_000
  assert.equal(counter.add('a').count, 2)
  now += 2_000
  assert.equal(counter.peek('a'), undefined)
  assert.equal(counter.add('a').count, 1)
})

test('more keys than fit replace those whose minute ends first', () => {
  const counter = createSharedMinuteCounter(allocateMinuteCounter(64))
  for (let key = 0; key < 10_000; key++) assert.equal(counter.add(`key ${key}`).count, 1)
})

test('threads that count at the same time lose no request', async () => {
  const memory = allocateMinuteCounter(1_000)
  const counter = createSharedMinuteCounter(memory)
  counter.add('a')
  const program = `
    import { workerData } from 'node:worker_threads'
    import { createSharedMinuteCounter } from '${import.meta.resolve('./shared-minute-counter.ts')}'
    const counter = createSharedMinuteCounter(workerData)
    for (let request = 0; request < 20_000; request++) counter.add('a')`
  const url = new URL(`data:text/javascript,${encodeURIComponent(program)}`)
  const threads = [1, 2].map(() => new Worker(url, { workerData: memory }))
  await Promise.all(threads.map(thread => new Promise(resolve => thread.once('exit', resolve))))
  assert.equal(counter.peek('a')?.count, 40_001)
})
