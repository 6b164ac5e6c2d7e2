/** Queries of a generation that the engine has not opened yet, as after a start: they wait for it. */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Engine } from '#engines/engine'
import type { Recipe } from '#http/recipe'
import type { Limits } from './limits.ts'

interface Dependencies {
  engine: Pick<Engine, 'isOpened' | 'whenOpened'>
  queryTimeoutMs: number
  limits: Pick<Limits, 'within'>
  gone(socket: Socket): AbortSignal
}

/**
 * Waits until the engine knows the generation `id`, as one of the queries at once of its account, for as long as a query may take and
 * its client is there. Gives what is left of that time, ms. Throws 429 and what the engine throws.
 */
export const openWhenOpened = ({ engine, queryTimeoutMs, limits, gone }: Dependencies) =>
  function* ({ socket }: IncomingMessage, account: string, id: string): Recipe<number> {
    if (engine.isOpened?.(id) ?? true) return queryTimeoutMs
    const endsAt = performance.now() + queryTimeoutMs
    yield* limits.within(account, async () => engine.whenOpened?.(id, queryTimeoutMs, gone(socket)))
    return Math.max(1, endsAt - performance.now())
  }
