/**
 * Gives memory back to the system when there is nothing to do. V8 collects when it needs room, so what starting and importing leave
 * behind stays with a server that is idle afterwards: half of its anonymous memory (docs/performance.md, Imports, starts and memory).
 */
import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Of the time between two looks the event loop was busy less than this share: a pause of some 50 ms is nobody's. */
const idleShare = 0.05
/** Less than that is not worth a collection. */
const worthBytes = 16 * 1024 * 1024

/** Looks every `lookEveryMs` milliseconds until the returned function is called. */
export const collectWhenIdle = (lookEveryMs = 5000): (() => void) => {
  // There is no other way to ask for a collection than a flag of the command line, or this.
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  let before = performance.eventLoopUtilization()
  let collected = 0
  const look = () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    if (utilization > idleShare || held() - collected < worthBytes) return
    collect()
    collected = held()
  }
  const timer = setInterval(look, lookEveryMs).unref()
  return () => clearInterval(timer)
}

/** What the heap has of the system, used or not, and what it refers to outside. */
const held = (): number => {
  const { heapTotal, external } = process.memoryUsage()
  return heapTotal + external
}
