import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBatchedWriter } from './batched-writer.ts'

test('writes do not overlap, and close writes what is pending', async () => {
  let pending = [1]
  const batches: number[][] = []
  const writer = openBatchedWriter({
    everyMs: 60_000,
    hasPending: () => pending.length > 0,
    async write() {
      const batch = pending
      pending = []
      await Promise.resolve()
      batches.push(batch)
    },
  })
  const first = writer.flush()
  const second = writer.flush().then(() => assert.deepEqual(batches, [[1], []]))
  await first
  assert.deepEqual(batches, [[1]])
  await second
  pending.push(2)
  await writer.close()
  assert.deepEqual(batches, [[1], [], [2]])
})

test('the schedule writes pending records only, and stops with close', async t => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  let isPending = false
  let writes = 0
  const writer = openBatchedWriter({
    everyMs: 1000,
    hasPending: () => isPending,
    async write() {
      isPending = false
      writes += 1
    },
  })
  t.mock.timers.tick(1000)
  await Promise.resolve()
  assert.equal(writes, 0)
  isPending = true
  t.mock.timers.tick(1000)
  await Promise.resolve()
  assert.equal(writes, 1)
  await writer.close()
  isPending = true
  t.mock.timers.tick(1000)
  await Promise.resolve()
  assert.equal(writes, 2)
})

test('a failed write is reported, and the next one runs', async () => {
  const failures: unknown[] = []
  const outcomes = [() => Promise.reject(new Error('storage away')), () => Promise.resolve()]
  const writer = openBatchedWriter({
    everyMs: 60_000,
    hasPending: () => false,
    write: async () => outcomes.shift()?.(),
    onFailure: error => failures.push(error),
  })
  await writer.flush()
  assert.equal(failures.length, 1)
  await writer.close()
  assert.equal(failures.length, 1)
  assert.equal(outcomes.length, 0)
})
