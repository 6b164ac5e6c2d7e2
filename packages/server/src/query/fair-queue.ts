/**
 * A fair queue: work of many keys (accounts) shares a bounded number of slots. Keys that wait are served round robin, and the work of one
 * key in the order in which it came. A key without running work starts at once, so it never waits for another key's backlog.
 */

export interface FairQueueSettings {
  /** Slots of one key. */
  perKeyMax: number
  /** Slots that all keys share. A key with no running work may start beyond them. */
  slots: number
  /** Work of all keys that may run, including work beyond `slots`. */
  runningMax: number
  /** Work of one key that may wait. */
  waitingPerKeyMax: number
}

/** A place in the queue. */
export interface Turn {
  /** Resolves when the work may start; never rejects. */
  started: Promise<void>
  /** Gives the place back, or the slot if the work may already start. Call it instead of {@link FairQueue.leave}. */
  cancel(): void
}

export interface FairQueue {
  /**
   * Takes a slot for `key`. Returns undefined if the work may start at once, otherwise the turn to wait for. Returns `full` if too much
   * work of the key is waiting already. `ownMax`: slots of this key, if fewer than those of every key. Give each slot back with {@link FairQueue.leave}.
   */
  enter(key: string, ownMax?: number): Turn | 'full' | undefined
  leave(key: string): void
  /** Number of waiting pieces of work, of all keys. */
  waiting(): number
}

interface Waiter {
  start(): void
}

/** The work of one key. A lane exists only while it has work. */
interface Lane {
  key: string
  /** Its slots. */
  max: number
  running: number
  /** In order of arrival. */
  waiting: Set<Waiter>
}

const first = <T>(items: ReadonlySet<T>): T | undefined => items.values().next().value

export const createFairQueue = ({
  perKeyMax,
  slots,
  runningMax,
  waitingPerKeyMax,
}: FairQueueSettings): FairQueue => {
  const lanes = new Map<string, Lane>()
  /** Lanes with waiting work that may take another of the shared slots, in the order of their next turns. */
  const ring = new Set<Lane>()
  /** Lanes with waiting work and none running: they come before the ring. They wait only when `runningMax` is reached. */
  const idle = new Set<Lane>()
  let running = 0
  let waiting = 0

  const mayStart = (lane: Lane): boolean =>
    running < runningMax && lane.running < lane.max && (lane.running === 0 || running < slots)

  /** Puts the lane at the end of the list it belongs to now. */
  const enlist = (lane: Lane): void => {
    ring.delete(lane)
    if (lane.running > 0) idle.delete(lane)
    if (lane.waiting.size === 0 || lane.running >= lane.max) return
    if (lane.running === 0) idle.add(lane)
    else ring.add(lane)
  }

  const startNext = (): void => {
    for (;;) {
      const lane = first(idle) ?? first(ring)
      if (!lane || !mayStart(lane)) return
      const waiter = first(lane.waiting)
      if (!waiter) return
      lane.waiting.delete(waiter)
      waiting -= 1
      lane.running += 1
      running += 1
      enlist(lane)
      waiter.start()
    }
  }

  const leave = (lane: Lane): void => {
    lane.running -= 1
    running -= 1
    if (lane.waiting.size > 0) {
      // A lane that used all its slots gets its next turn last. A lane without running work goes before all others.
      if (lane.running === 0 || lane.running === lane.max - 1) enlist(lane)
    } else if (lane.running === 0) lanes.delete(lane.key)
    if (waiting > 0) startNext()
  }

  return {
    enter(key, ownMax = perKeyMax) {
      let lane = lanes.get(key)
      if (!lane) {
        lane = { key, max: perKeyMax, running: 0, waiting: new Set() }
        lanes.set(key, lane)
      }
      lane.max = Math.min(ownMax, perKeyMax)
      // New work never passes waiting work of its key, because waiting work cannot start either.
      if (lane.waiting.size === 0 && mayStart(lane)) {
        lane.running += 1
        running += 1
        return undefined
      }
      if (lane.waiting.size >= waitingPerKeyMax) {
        if (lane.running + lane.waiting.size === 0) lanes.delete(key)
        return 'full'
      }
      return wait(lane)
    },
    leave(key) {
      const lane = lanes.get(key)
      if (!lane || lane.running === 0) throw new Error('leave() was called for a key without a running slot')
      leave(lane)
    },
    waiting: () => waiting,
  }

  function wait(lane: Lane): Turn {
    const { promise, resolve } = Promise.withResolvers<void>()
    const waiter: Waiter = { start: resolve }
    lane.waiting.add(waiter)
    waiting += 1
    if (lane.waiting.size === 1) enlist(lane)
    let isOver = false
    return {
      started: promise,
      cancel() {
        if (isOver) return
        isOver = true
        if (!lane.waiting.delete(waiter)) return leave(lane)
        waiting -= 1
        if (lane.waiting.size > 0) return
        ring.delete(lane)
        idle.delete(lane)
        if (lane.running === 0) lanes.delete(lane.key)
      },
    }
  }
}
