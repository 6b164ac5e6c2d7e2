/** The deadline of a query. Its time runs from the arrival of its headers, and includes authorization and waiting for other queries. */
import { Problem } from '#errors'

export interface Deadline {
  /** `performance.now()` at the deadline. */
  readonly endsAt: number
  /** Returns the result of `work`. At the deadline it rejects with Problem `timeout`; the work goes on, and its result is ignored. */
  race<T>(work: Promise<T>): Promise<T>
  /** Throws Problem `timeout` after the deadline. Call it before a step that has effects, because nobody waits for them any more. */
  throwIfExpired(): void
  /** Stops the timer. */
  clear(): void
}

/** `arrivedMs` is the `performance.now()` when the query arrived. */
export const startDeadline = (timeoutMs: number, arrivedMs: number): Deadline => {
  const endsAt = arrivedMs + timeoutMs
  const { promise: expired, reject } = Promise.withResolvers<never>()
  // No step may be waiting at the deadline.
  expired.catch(() => {})
  let problem: Problem | undefined
  const timer = setTimeout(() => {
    problem = new Problem(
      'timeout',
      `the query took longer than ${timeoutMs / 1000} s, including its time in the queue`,
    )
    reject(problem)
  }, remainingMs(endsAt))
  return {
    endsAt,
    race: work => Promise.race([work, expired]),
    throwIfExpired() {
      if (problem) throw problem
    },
    clear: () => clearTimeout(timer),
  }
}

/** Milliseconds until `endsAt` (`performance.now()`), at least 1. */
export const remainingMs = (endsAt: number): number => Math.max(1, endsAt - performance.now())
