/** How much one account may ask: queries a minute, and queries at once (query-service.md, In between). */
import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '#errors'

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose limits this request counts for: an account, or an address where no token is needed. */
    limitKey: string
  }
}

export interface Limits {
  /** Counts the request; sets `RateLimit-*`. Throws 429. */
  count(request: FastifyRequest, reply: FastifyReply, key: string): Promise<void>
  /** Runs one query within the number at once of its account. Throws 429. */
  within<T>(key: string, query: () => Promise<T>): Promise<T>
}

const windowMs = 60_000

export const openLimits = async (
  fastify: FastifyInstance,
  settings: { aMinute: number | 'off'; atOnce: number },
): Promise<Limits> => {
  const { aMinute, atOnce } = settings
  fastify.decorateRequest('limitKey', '')
  await fastify.register(rateLimit, { global: false, cache: 50_000 })
  const limit =
    aMinute === 'off'
      ? undefined
      : fastify.createRateLimit({
          max: aMinute,
          timeWindow: windowMs,
          keyGenerator: request => request.limitKey,
        })
  const running = new Map<string, number>()
  return {
    async count(request, reply, key) {
      if (!limit) return
      request.limitKey = key
      const state = await limit(request)
      if (state.isAllowed) return
      reply.header('ratelimit-limit', state.max)
      reply.header('ratelimit-remaining', state.remaining)
      reply.header('ratelimit-reset', state.ttlInSeconds)
      if (state.isExceeded)
        throw new Problem(
          'too-many-requests',
          `more than ${state.max} requests a minute: wait ${state.ttlInSeconds} s`,
          {
            headers: { 'retry-after': String(state.ttlInSeconds) },
          },
        )
    },
    async within(key, query) {
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
        return await query()
      } finally {
        const left = (running.get(key) ?? 1) - 1
        if (left > 0) running.set(key, left)
        else running.delete(key)
      }
    },
  }
}
