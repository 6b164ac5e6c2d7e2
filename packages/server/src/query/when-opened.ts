/** Queries of a generation that the engine has not opened yet, as after a start: they wait for it. */
import type { Socket } from 'node:net'
import type { Engine } from '#engines/engine'
import type { Steps } from '#http/recipe'
import { leftMs } from './deadline.ts'
import type { Limits } from './limits.ts'

interface Dependencies {
  engine: Pick<Engine, 'isOpened' | 'whenOpened'>
  limits: Pick<Limits, 'withoutSearch'>
  gone(socket: Socket): AbortSignal
}

/**
 * Waits until the engine knows the generation `id`, as one of the queries at once of its account, until `endsAt` (`performance.now()`) at
 * most and as long as its client is there. Throws 429 and what the engine throws.
 */
export const openWhenOpened = ({ engine, limits, gone }: Dependencies) =>
  function* (socket: Socket, account: string, id: string, endsAt: number): Steps<void> {
    if (engine.isOpened?.(id) ?? true) return
    const signal = gone(socket)
    yield* limits.withoutSearch(account, signal, async () => engine.whenOpened?.(id, leftMs(endsAt), signal))
  }
