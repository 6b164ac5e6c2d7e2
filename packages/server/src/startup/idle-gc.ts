/**
 * Gives memory back to the system when there is nothing to do. V8 collects when it needs room, so what starting and importing leave
 * behind stays with a server that is idle afterwards: half of its anonymous memory (bench/notes/performance.md, Imports, starts and memory).
 */
import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Of the time between two looks the event loop was busy less than this share: a pause of some 50 ms is nobody's. */
const idleShare = 0.05
/** Less than that is not worth a collection. */
const garbageBytesMin = 16 * 1024 * 1024

/** Looks every `lookEveryMs` milliseconds until the returned function is called. */
export const collectGarbageWhenIdle = (lookEveryMs = 5000): (() => void) => {
  // There is no other way to ask for a collection than a flag of the command line, or this.
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
  const timer = setInterval(collectIfIdle, lookEveryMs).unref()
  return () => clearInterval(timer)
}

/** What the heap has of the system, used or not, and what it refers to outside. */
const measureHeapBytes = (): number => {
  const { heapTotal, external } = process.memoryUsage()
  return heapTotal + external
}
