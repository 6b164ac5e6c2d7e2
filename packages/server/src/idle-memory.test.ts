import assert from 'node:assert/strict'
import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { test } from 'node:test'
import { collectWhenIdle } from './idle-memory.ts'

const lookEveryMs = 40

/** Keeps the event loop busy until `looks` looks are due. */
const busyFor = async (looks: number): Promise<void> => {
  const until = performance.now() + looks * lookEveryMs
  while (performance.now() < until) {
    const pause = performance.now() + lookEveryMs / 2
    while (performance.now() < pause);
    await new Promise(resolve => setImmediate(resolve))
  }
}

test('collects once there is nothing to do, and not while there is', async () => {
  let collections = 0
  let tell = () => {}
  const observer = new PerformanceObserver(list => {
    const entries = list.getEntries() as (PerformanceEntry & { detail: { flags: number } })[]
    const asked = entries.filter(
      ({ detail }) => (detail.flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) !== 0,
    )
    collections += asked.length
    if (asked.length > 0) tell()
  })
  observer.observe({ entryTypes: ['gc'] })
  const stop = collectWhenIdle(lookEveryMs)
  await busyFor(5)
  assert.equal(collections, 0)
  const collected = new Promise<void>(resolve => {
    tell = resolve
  })
  // Looking does not keep a process alive.
  const awake = setInterval(() => {}, 1000)
  await collected
  clearInterval(awake)
  stop()
  observer.disconnect()
})
