/** Tasks for tests of the pool. */

/** Occupies its thread until the caller stores another value than 0 in `released` and notifies it, or for 20 s at most. */
export const waitForRelease = (released: Int32Array<SharedArrayBuffer>): string =>
  Atomics.wait(released, 0, 0, 20_000)
