/**
 * Returns memory to the system while the server is idle. V8 collects only when it needs space, so an idle server would keep the garbage of
 * its start and of imports: half of its anonymous memory (bench/notes/performance.md, Imports, starts and memory).
 */
import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * The server is idle if the event loop was busy for less than this share of the interval: some 10 queries a second. Then a pause of 50 ms
 * affects one query at most. With 5 % it delayed five of a hundred queries a second.
 */
const idleShare = 0.01
/** Growth of the heap that is worth a collection. */
const garbageBytesMin = 16 * 1024 * 1024

/** Checks every `intervalMs` until the caller calls the returned function. */
export const collectGarbageWhenIdle = (intervalMs = 5000): (() => void) => {
  // Besides a flag of the command line, this is the only way to request a collection.
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  let lastUtilization = performance.eventLoopUtilization()
  let bytesAfterCollection = 0
  const collectIfIdle = () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, lastUtilization)
    lastUtilization = now
    if (utilization > idleShare || measureHeapBytes() - bytesAfterCollection < garbageBytesMin) return
    collect()
    bytesAfterCollection = measureHeapBytes()
  }
  const timer = setInterval(collectIfIdle, intervalMs).unref()
  return () => clearInterval(timer)
}

/** Returns the memory of the heap, used or not, and of the external data that it refers to. */
const measureHeapBytes = (): number => {
  const { heapTotal, external } = process.memoryUsage()
  return heapTotal + external
}
