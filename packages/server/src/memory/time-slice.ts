/** Divides long work of the main thread into steps, so that other requests run between them. */
import { setImmediate as letOthersRun } from 'node:timers/promises'

/** Length of one step. Another request waits at most this long, and for the one item after it. */
const sliceMs = 10

/** Returns a function that says after each item whether to wait for others: a promise, or undefined to go on at once. */
export const createTimeSlice = (): (() => Promise<void> | undefined) => {
  let endsMs = performance.now() + sliceMs
  return () => {
    if (performance.now() < endsMs) return undefined
    return letOthersRun().then(() => {
      endsMs = performance.now() + sliceMs
    })
  }
}
