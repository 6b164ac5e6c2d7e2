/** How much one account may ask: queries a minute, and queries at once (query-service.md, In between). */
import { LRUCache } from 'lru-cache'
import { Problem } from '#errors'
import { known, type Recipe } from '#http/recipe'
import type { Headed } from '#http/vary'
import { atMost } from '#storage/at-most'

export interface Limits {
  /** Counts a request for `key`, an account, or an address where no token is needed; sets `RateLimit-*`. Throws 429. */
  count(reply: Headed, key: string): void
  /** Sets `RateLimit-*` as they are for `key`, and counts nothing. */
  tell(reply: Headed, key: string): void
  /** Runs one query within the number at once of its account. Throws 429. */
  within<T>(key: string, query: () => Promise<T>): Recipe<T>
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
export const openLimits = (settings: { aMinute: number | 'off'; atOnce: number }): Limits => {
  const { aMinute, atOnce } = settings
  const minutes = new LRUCache<string, Minute>(atMost(countedMax))
  const running = new Map<string, number>()
  const say = (reply: Headed, limit: number, requests: number, seconds: number): void => {
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
    *within(key, query) {
      const now = running.get(key) ?? 0
      if (now >= atOnce)
        throw new Problem(
          'too-many-requests',
          `more than ${atOnce} queries at once: wait for some to finish`,
          {
            headers: { 'retry-after': '1' },
          },
        )
      running.set(key, now + 1)
      try {
        return yield* known(query())
      } finally {
        const left = (running.get(key) ?? 1) - 1
        if (left > 0) running.set(key, left)
        else running.delete(key)
      }
    },
  }
}
