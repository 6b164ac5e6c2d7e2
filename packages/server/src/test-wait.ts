/** For tests: waiting for a condition, with a limit that names what did not happen. */
import { setTimeout as pause } from 'node:timers/promises'

/** How long a test waits for one condition. Holds on a machine with many times the usual load. */
export const patienceMs = 60_000

/** How long a test waits for a command, or for the start of a server: their time depends on their work. */
export const commandMsMax = 9 * 60_000

/** The time in milliseconds since 1970. Unlike `Date.now`, tests do not set it. */
const readClock = (): number => performance.timeOrigin + performance.now()

/** When this process stops waiting, by {@link readClock}. tools/run-tests.ts ends a group of test files soon after. */
const giveUpAt = Number(process.env.QUERENT_TEST_GIVE_UP_AT ?? Number.POSITIVE_INFINITY)

const readRemainingMs = (limitMs: number): number => Math.max(0, Math.min(limitMs, giveUpAt - readClock()))

/**
 * Settles as `promise` does, or rejects with `describe()` when the patience or the time of the process is over. `limitMs` is for what takes
 * longer, such as a command that moves a data folder. The work behind `promise` continues.
 */
export const withPatience = async <T>(
  promise: PromiseLike<T>,
  describe: () => unknown,
  limitMs = patienceMs,
): Promise<T> => {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<never>((_, reject) => {
    const giveUp = async () => reject(new Error(`waited in vain until ${await describe()}`))
    timer = setTimeout(() => giveUp().catch(reject), readRemainingMs(limitMs))
  })
  try {
    return await Promise.race([promise, limit])
  } finally {
    clearTimeout(timer)
  }
}

const pollMs = 20

/** Resolves with the first result of `read` that is not `false` or `undefined`. `describe` explains the state if it gives up. */
export const waitUntil = async <T>(
  read: () => T | Promise<T>,
  describe: () => unknown = () => read.toString(),
  limitMs = patienceMs,
): Promise<Exclude<T, false | undefined>> => {
  const deadline = readClock() + readRemainingMs(limitMs)
  for (;;) {
    // A read of its own takes part in the limit: it may hang.
    const result = await withPatience(Promise.resolve(read()), describe, deadline - readClock())
    // The compiler cannot exclude them from `T`.
    if (result !== false && result !== undefined) return result as Exclude<T, false | undefined>
    if (readClock() >= deadline) throw new Error(`waited in vain until ${await describe()}`)
    await pause(pollMs)
  }
}
