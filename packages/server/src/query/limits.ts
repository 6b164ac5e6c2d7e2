/** Limits of one account: queries per minute, running queries and waiting queries (query-service.md, Limits and usage). */
import type { QueryLimits } from '@querent/contract/manage'
import { type Engine, EngineError } from '#engines/engine'
import { Problem } from '#errors'
import type { HeaderWriter } from '#http/vary'
import { createMinuteCounter, type MinuteCounter, minuteSeconds, secondsLeft } from '#memory/minute-counter'
import type { Deadline } from './deadline.ts'
import { createFairQueue, type FairQueue, type Turn } from './fair-queue.ts'

export interface Limits {
  /** Counts a request for `key`: an account, or an IP address if no token is needed. Sets `RateLimit-*`. Throws 429. `own`: lower limits of the key. */
  count(reply: HeaderWriter, key: string, own?: QueryLimits): void
  /** Sets `RateLimit-*` for `key` without counting. */
  report(reply: HeaderWriter, key: string): void
  /**
   * Runs a search when it is the turn of `key`; waiting accounts take turns. `search` receives whether it had to wait. Throws 429 if too
   * many searches of `key` are waiting already, `cancelled` if `signal` is aborted meanwhile, and `timeout` at the deadline.
   */
  search<T>(
    key: string,
    signal: AbortSignal,
    deadline: QueueDeadline,
    search: (hasWaited: boolean) => Promise<T>,
    own?: QueryLimits,
  ): Promise<T>
  /** Does the same for work without a search, such as waiting for an index to open. It takes no slot of a search. */
  withoutSearch<T>(
    key: string,
    signal: AbortSignal,
    deadline: QueueDeadline,
    work: () => Promise<T>,
    own?: QueryLimits,
  ): Promise<T>
  /** The 429 of a query beyond those that may wait. */
  tooManyWaiting(): Problem
  /** Number of waiting queries. */
  waiting(): number
}

type QueueDeadline = Pick<Deadline, 'race' | 'throwIfExpired'>

export interface LimitSettings {
  /** For one account. */
  requestsPerMinute: number | 'off'
  /** Running queries of one account. */
  concurrentMax: number
  /** Waiting queries of one account. */
  waitingMax: number
  engine: Pick<Engine, 'searchesAtOnce'>
  /** Counts requests for several threads; by default for this one. */
  requestCounter?: Pick<MinuteCounter, 'add' | 'peek'> | undefined
}

/** Accounts and addresses that are counted. If there are more, the least recently used ones start again from 0. */
export const countedKeysMax = 50_000

/** We don't use `@fastify/rate-limit`, because queries don't pass through Fastify (route.ts). */
export const createLimits = ({
  requestsPerMinute,
  concurrentMax,
  waitingMax,
  engine,
  requestCounter: minutes = createMinuteCounter(countedKeysMax),
}: LimitSettings): Limits => {
  const { useful: slots, max: runningMax } = engine.searchesAtOnce ?? unlimited
  const bounds = { perKeyMax: concurrentMax, waitingPerKeyMax: waitingMax }
  const searches = createFairQueue({ ...bounds, slots, runningMax })
  const otherWork = createFairQueue({ ...bounds, slots: unlimited.useful, runningMax: unlimited.max })
  const tooManyWaiting = (): Problem =>
    new Problem(
      'too-many-requests',
      `more than ${waitingMax} queries of this account wait: send fewer at once`,
      {
        headers: { 'retry-after': '1' },
      },
    )
  const inTurn = async <T>(
    queue: FairQueue,
    key: string,
    signal: AbortSignal,
    deadline: QueueDeadline,
    run: (hasWaited: boolean) => Promise<T>,
    own?: QueryLimits,
  ): Promise<T> => {
    deadline.throwIfExpired()
    const turn = queue.enter(key, own?.atOnce)
    if (turn === 'full') throw tooManyWaiting()
    if (turn) await waitForTurn(turn, signal, deadline)
    const leave = () => queue.leave(key)
    let running: Promise<T>
    try {
      running = run(turn !== undefined)
    } catch (error) {
      leave()
      throw error
    }
    // The slot is free when the work has ended. A query that missed its deadline may still occupy the engine.
    running.then(leave, leave)
    return running
  }
  const setRateLimitHeaders = (
    reply: HeaderWriter,
    limit: number,
    requests: number,
    seconds: number,
  ): void => {
    reply.header('ratelimit-limit', limit)
    reply.header('ratelimit-remaining', Math.max(0, limit - requests))
    reply.header('ratelimit-reset', seconds)
  }
  return {
    count(reply, key, own) {
      const perMinute = lowerLimit(requestsPerMinute, own?.perMinute)
      if (perMinute === undefined) return
      const minute = minutes.add(key)
      const seconds = secondsLeft(minute)
      setRateLimitHeaders(reply, perMinute, minute.count, seconds)
      if (minute.count > perMinute)
        throw new Problem(
          'too-many-requests',
          `more than ${perMinute} requests per minute: wait ${seconds} s`,
          {
            headers: { 'retry-after': String(seconds) },
          },
        )
    },
    report(reply, key) {
      if (requestsPerMinute === 'off') return
      const minute = minutes.peek(key)
      if (minute) setRateLimitHeaders(reply, requestsPerMinute, minute.count, secondsLeft(minute))
      else setRateLimitHeaders(reply, requestsPerMinute, 0, minuteSeconds)
    },
    search: (key, signal, deadline, search, own) => inTurn(searches, key, signal, deadline, search, own),
    withoutSearch: (key, signal, deadline, work, own) => inTurn(otherWork, key, signal, deadline, work, own),
    tooManyWaiting,
    waiting: () => searches.waiting() + otherWork.waiting(),
  }
}

/** Undefined: nothing limits. */
const lowerLimit = (server: number | 'off', own: number | undefined): number | undefined =>
  server === 'off' ? own : Math.min(server, own ?? server)

const unlimited = { useful: Number.POSITIVE_INFINITY, max: Number.POSITIVE_INFINITY }

/** Gives the turn back if the client disconnects or the deadline passes. */
const waitForTurn = async (turn: Turn, signal: AbortSignal, deadline: QueueDeadline): Promise<void> => {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(new EngineError('cancelled', 'the client closed the connection'))
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    if (signal.aborted) onAbort()
    await deadline.race(Promise.race([turn.started, aborted]))
  } catch (error) {
    turn.cancel()
    throw error
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
