/** How long a query may take, from its head to its reply: its authorization and its wait for other queries count too. */
import { Problem } from '#errors'
import type { Deadline } from '#http/recipe'

/** Answers the query 503 when `timeoutMs` have passed since it arrived (`performance.now()`). */
export const queryDeadline = (timeoutMs: number, arrivedMs: number): Deadline => ({
  ms: leftMs(arrivedMs + timeoutMs),
  error: () => new Problem('timeout', `the query took longer than ${timeoutMs / 1000} s, its wait included`),
})

/** Milliseconds until `endsAt` (`performance.now()`), at least 1. */
export const leftMs = (endsAt: number): number => Math.max(1, endsAt - performance.now())
