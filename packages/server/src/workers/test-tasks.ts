/** Tasks for tests of the pool. */
import { readlinkSync } from 'node:fs'
import { getPriority } from 'node:os'
import { basename } from 'node:path'

/** Returns the priority of the thread on Linux, and of the process on other systems. */
export const readPriority = (): number =>
  getPriority(process.platform === 'linux' ? Number(basename(readlinkSync('/proc/thread-self'))) : 0)

/** Occupies its thread until the caller stores another value than 0 in `released` and notifies it, or for 20 s at most. */
export const waitForRelease = (released: Int32Array<SharedArrayBuffer>): string =>
  Atomics.wait(released, 0, 0, 20_000)
