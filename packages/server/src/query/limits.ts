/** How much one account may ask: queries a minute, queries at once, and queries that wait (query-service.md, Limits and usage). */
import { LRUCache } from 'lru-cache'
import { type Engine, EngineError } from '#engines/engine'
import { Problem } from '#errors'
import { type Steps, waitFor } from '#http/recipe'
import type { HeaderWriter } from '#http/vary'
import { lruLimit } from '#storage/lru-limit'
import { createFairQueue, type FairQueue, type Turn } from './fair-queue.ts'

export interface Limits {
  /** Counts a request for `key`, an account, or an address where no token is needed; sets `RateLimit-*`. Throws 429. */
  count(reply: HeaderWriter, key: string): void
  /** Sets `RateLimit-*` as they are for `key`, and counts nothing. */
  tell(reply: HeaderWriter, key: string): void
  /**
   * Runs a search when it is the turn of `key`: accounts that wait are served in turn. `search` learns whether it had to wait. Throws 429
   * when too many searches of `key` wait already, and `cancelled` when `signal` is aborted meanwhile.
   */
  search<T>(key: string, signal: AbortSignal, search: (hasWaited: boolean) => Promise<T>): Steps<T>
  /** The same for work without a search, such as waiting until documents are opened: it takes no slot of a search. */
  withoutSearch<T>(key: string, signal: AbortSignal, work: () => Promise<T>): Steps<T>
  /** Queries that wait for their turn. */
  waiting(): number
}

export interface LimitSettings {
  /** Requests a minute of one account. */
  aMinute: number | 'off'
  /** Queries of one account that run at once. */
  atOnce: number
  /** Queries of one account that may wait. */
  waitingMax: number
  engine: Pick<Engine, 'searchesAtOnce'>
}

const windowMs = 60_000
/** Accounts and addresses that are counted; of more, those longest unheard of begin anew. */
const countedMax = 50_000

/** A minute of one account, from its first request on. */
interface Minute {
  endsAt: number
  requests: number
}

/** Own, because `@fastify/rate-limit` counts what Fastify answers, and queries do not pass through it (route.ts). */
export const openLimits = ({ aMinute, atOnce, waitingMax, engine }: LimitSettings): Limits => {
  const minutes = new LRUCache<string, Minute>(lruLimit(countedMax))
  const { useful: slots, max: runningMax } = engine.searchesAtOnce ?? anyNumber
  const bounds = { perKeyMax: atOnce, waitingPerKeyMax: waitingMax }
  const searches = createFairQueue({ ...bounds, slots, runningMax })
  const others = createFairQueue({ ...bounds, slots: anyNumber.useful, runningMax: anyNumber.max })
  const tooMany = (): Problem =>
    new Problem(
      'too-many-requests',
      `more than ${waitingMax} queries of this account wait: send fewer at once`,
      {
        headers: { 'retry-after': '1' },
      },
    )
  const inTurn = function* <T>(
    queue: FairQueue,
    key: string,
    signal: AbortSignal,
    run: (hasWaited: boolean) => Promise<T>,
  ): Steps<T> {
    const turn = queue.enter(key)
    if (turn === 'full') throw tooMany()
    if (turn) yield* waitForTurn(turn, signal)
    const leave = () => queue.leave(key)
    let running: Promise<T>
    try {
      running = run(turn !== undefined)
    } catch (error) {
      leave()
      throw error
    }
    // The slot is free when the work has ended, not when its query has: one given up at its deadline may still occupy the engine.
    running.then(leave, leave)
    return yield* waitFor(running)
  }
  const say = (reply: HeaderWriter, limit: number, requests: number, seconds: number): void => {
    reply.header('ratelimit-limit', limit)
    reply.header('ratelimit-remaining', Math.max(0, limit - requests))
    reply.header('ratelimit-reset', seconds)
  }
  return {
    count(reply, key) {
      if (aMinute === 'off') return
      const now = performance.now()
      let minute = minutes.get(key)
      if (!minute || minute.endsAt <= now) {
        minute = { endsAt: now + windowMs, requests: 0 }
        minutes.set(key, minute)
      }
      minute.requests += 1
      const seconds = Math.ceil((minute.endsAt - now) / 1000)
      say(reply, aMinute, minute.requests, seconds)
      if (minute.requests > aMinute)
        throw new Problem('too-many-requests', `more than ${aMinute} requests a minute: wait ${seconds} s`, {
          headers: { 'retry-after': String(seconds) },
        })
    },
    tell(reply, key) {
      if (aMinute === 'off') return
      const minute = minutes.peek(key)
      const leftMs = minute ? minute.endsAt - performance.now() : 0
      if (minute && leftMs > 0) say(reply, aMinute, minute.requests, Math.ceil(leftMs / 1000))
      else say(reply, aMinute, 0, windowMs / 1000)
    },
    search: (key, signal, search) => inTurn(searches, key, signal, search),
    withoutSearch: (key, signal, work) => inTurn(others, key, signal, work),
    waiting: () => searches.waiting() + others.waiting(),
  }
}

const anyNumber = { useful: Number.POSITIVE_INFINITY, max: Number.POSITIVE_INFINITY }

/** Gives the turn back when nobody waits for it any more. */
function* waitForTurn(turn: Turn, signal: AbortSignal): Steps<void> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(new EngineError('cancelled', 'the client closed the connection'))
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    if (signal.aborted) onAbort()
    yield* waitFor(Promise.race([turn.started, aborted]))
  } catch (error) {
    turn.cancel()
    throw error
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
