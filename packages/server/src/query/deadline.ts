/** The deadline of a query. Its time runs from the arrival of its headers, and includes authorization and waiting for other queries. */
import type { Socket } from 'node:net'
import type { Engine } from '#engines/engine'
import { Problem } from '#errors'
import type { Deadline, Steps } from '#http/recipe'
import type { Limits } from './limits.ts'

/** Answers the query 503 when `timeoutMs` have passed since it arrived (`performance.now()`). */
export const queryDeadline = (timeoutMs: number, arrivedMs: number): Deadline => ({
  ms: remainingMs(arrivedMs + timeoutMs),
  error: () =>
    new Problem(
      'timeout',
      `the query took longer than ${timeoutMs / 1000} s, including its time in the queue`,
    ),
})

/** Milliseconds until `endsAt` (`performance.now()`), at least 1. */
export const remainingMs = (endsAt: number): number => Math.max(1, endsAt - performance.now())

interface OpenWaitDependencies {
  engine: Pick<Engine, 'isOpened' | 'whenOpened'>
  limits: Pick<Limits, 'withoutSearch'>
  disconnectSignal(socket: Socket): AbortSignal
}

/**
 * Waits until the engine has opened the generation `id`, which takes a while after a start. The wait counts as a running query of the
 * account. It ends at `endsAt` (`performance.now()`), or when the client disconnects. Throws 429 and the engine's errors.
 */
export function* waitUntilOpen(
  { engine, limits, disconnectSignal }: OpenWaitDependencies,
  socket: Socket,
  account: string,
  id: string,
  endsAt: number,
): Steps<void> {
  if (engine.isOpened?.(id) ?? true) return
  const signal = disconnectSignal(socket)
  yield* limits.withoutSearch(account, signal, async () =>
    engine.whenOpened?.(id, remainingMs(endsAt), signal),
  )
}
