/** Counts per key and minute, in memory of this node. */
import { LRUCache } from 'lru-cache'
import { lruLimit } from './lru-limit.ts'

/** The minute of one key, which starts with its first use. The caller adds to `count`. */
export interface Minute {
  count: number
  /** By `performance.now()`. */
  readonly endsAt: number
}

export interface MinuteCounter {
  /** Returns the running minute of the key, or starts one. */
  start(key: string): Minute
  /** Counts one more, and returns the minute. */
  add(key: string): Readonly<Minute>
  /** Returns the running minute of the key, if there is one. */
  peek(key: string): Minute | undefined
}

const minuteMs = 60_000
export const minuteSeconds = minuteMs / 1000

/** Beyond `keysMax` keys, the least recently used ones start again from 0. */
export const createMinuteCounter = (keysMax: number): MinuteCounter => {
  const minutes = new LRUCache<string, Minute>(lruLimit(keysMax))
  const ifRunning = (minute: Minute | undefined, now: number) =>
    minute && minute.endsAt > now ? minute : undefined
  const start = (key: string): Minute => {
    const now = performance.now()
    const running = ifRunning(minutes.get(key), now)
    if (running) return running
    const minute = { count: 0, endsAt: now + minuteMs }
    minutes.set(key, minute)
    return minute
  }
  return {
    start,
    add(key) {
      const minute = start(key)
      minute.count += 1
      return minute
    },
    peek: key => ifRunning(minutes.peek(key), performance.now()),
  }
}

/** Seconds until the minute ends, rounded up; at least 1. */
export const secondsLeft = ({ endsAt }: Minute): number =>
  Math.max(1, Math.ceil((endsAt - performance.now()) / 1000))
