import assert from 'node:assert/strict'
import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { test } from 'node:test'
import { collectGarbageWhenIdle } from './idle-gc.ts'

const intervalMs = 40

/** Keeps the event loop busy for this many checks. */
const busyFor = async (checks: number): Promise<void> => {
  const busyUntil = performance.now() + checks * intervalMs
  while (performance.now() < busyUntil) {
    const pause = performance.now() + intervalMs / 2
    while (performance.now() < pause);
    await new Promise(resolve => setImmediate(resolve))
  }
}

test('collects garbage when idle, and not while busy', async () => {
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
  const stop = collectGarbageWhenIdle(intervalMs)
  await busyFor(5)
  assert.equal(collections, 0)
  const collected = new Promise<void>(resolve => {
    resolveCollected = resolve
  })
  // The checks do not keep a process alive.
  const awake = setInterval(() => {}, 1000)
  await collected
  clearInterval(awake)
  stop()
  observer.disconnect()
})
