/** For tests: waiting for a condition. A slow machine makes a wait longer, and never a failure. */
import { setTimeout as pause } from 'node:timers/promises'

/** A wait gives up only when its group of test files would be ended anyway (tools/run-tests.ts). */
export const patienceMs = 9 * 60_000

const pollMs = 20

/** Resolves with the first result of `read` that is not `false` or `undefined`. `describe` explains the state if it gives up. */
export const waitUntil = async <T>(
  read: () => T | Promise<T>,
  describe: () => unknown = () => read.toString(),
): Promise<Exclude<T, false | undefined>> => {
  const givingUpAt = Date.now() + patienceMs
  for (;;) {
    const result = await read()
    // The compiler cannot exclude them from `T`.
    if (result !== false && result !== undefined) return result as Exclude<T, false | undefined>
    if (Date.now() > givingUpAt) throw new Error(`waited in vain until ${await describe()}`)
    await pause(pollMs)
  }
}
