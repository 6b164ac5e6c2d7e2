import assert from 'node:assert/strict'
import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { test } from 'node:test'
import { collectGarbageWhenIdle } from './idle-gc.ts'

const lookEveryMs = 40

/** Keeps the event loop busy until `looks` looks are due. */
const busyFor = async (looks: number): Promise<void> => {
  const busyUntil = performance.now() + looks * lookEveryMs
  while (performance.now() < busyUntil) {
    const pause = performance.now() + lookEveryMs / 2
    while (performance.now() < pause);
    await new Promise(resolve => setImmediate(resolve))
  }
}

test('collects once there is nothing to do, and not while there is', async () => {
  let collections = 0
  let resolveCollected = () => {}
  const observer = new PerformanceObserver(list => {
    const entries = list.getEntries() as (PerformanceEntry & { detail: { flags: number } })[]
    const forcedCollections = entries.filter(
      ({ detail }) => (detail.flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) !== 0,
    )
    collections += forcedCollections.length
    if (forcedCollections.length > 0) resolveCollected()
  })
  observer.observe({ entryTypes: ['gc'] })
  const stop = collectGarbageWhenIdle(lookEveryMs)
  await busyFor(5)
  assert.equal(collections, 0)
  const collected = new Promise<void>(resolve => {
    resolveCollected = resolve
  })
  // Looking does not keep a process alive.
  const awake = setInterval(() => {}, 1000)
  await collected
  clearInterval(awake)
  stop()
  observer.disconnect()
})
