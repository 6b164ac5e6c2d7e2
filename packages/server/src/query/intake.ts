/**
 * Starts queries that arrive together over turns of the event loop, round robin over their senders, and holds those of a sender that has many
 * in progress. A thousand queries of one sender would otherwise be authorized and planned in one turn, and the next query of another sender
 * would wait for all of them. A held query is only its request: a thousand planned queries make garbage collection stop everybody for longer.
 */

/** Queries that start in one turn. More make a turn long; fewer need more turns. */
const perTurnMax = 16

export interface IntakeSettings {
  /** Queries of one sender in progress. Later ones are held. */
  inProgressMax: number
  /** Held queries of one sender. Later ones start at once, marked as beyond the limit. */
  heldMax: number
  /** A query that was held for so many milliseconds starts at once, and finds that its time is over. */
  heldMsMax: number
}

export interface Intake {
  /**
   * Runs `start` at once, or in a later turn if this one is full or others wait, or if its sender has too many queries in progress.
   * `start` calls `leave` when its query is no longer in progress; further calls have no effect. It must not throw.
   */
  enter(sender: string, start: Start): void
  /** Number of held queries. */
  held(): number
}

export interface IntakeEntry {
  leave(): void
  /** `heldMax` queries of the sender were held already. */
  isBeyondLimit: boolean
}

type Start = (entry: IntakeEntry) => void

/** The queries of one sender. A lane exists only while it has queries. */
interface Lane {
  sender: string
  inProgress: number
  /** In order of arrival. */
  held: { start: Start; enteredMs: number }[]
  timer: NodeJS.Timeout | undefined
}

export const createIntake = ({ inProgressMax, heldMax, heldMsMax }: IntakeSettings): Intake => {
  const lanes = new Map<string, Lane>()
  /** Lanes with held queries and fewer than `inProgressMax` in progress, in the order of their turns. */
  const ready = new Set<Lane>()
  let started = 0
  let heldCount = 0
  let isScheduled = false

  const run = (lane: Lane, start: Start, isBeyondLimit = false): void => {
    lane.inProgress += 1
    let isOver = false
    const leave = () => {
      if (isOver) return
      isOver = true
      lane.inProgress -= 1
      if (lane.held.length > 0) {
        ready.add(lane)
        schedule()
      } else if (lane.inProgress === 0) lanes.delete(lane.sender)
    }
    start({ leave, isBeyondLimit })
  }
  /** Removes the oldest held query of a lane. */
  const takeHeld = (lane: Lane): Start | undefined => {
    const start = lane.held.shift()?.start
    heldCount -= 1
    if (lane.held.length === 0) {
      clearTimeout(lane.timer)
      lane.timer = undefined
    }
    return start
  }
  const startExpired = (lane: Lane): void => {
    const now = performance.now()
    for (;;) {
      const [oldest] = lane.held
      if (oldest === undefined) {
        ready.delete(lane)
        return
      }
      const restMs = oldest.enteredMs + heldMsMax - now
      if (restMs > 0) {
        lane.timer = setTimeout(startExpired, Math.ceil(restMs), lane).unref()
        return
      }
      takeHeld(lane)
      run(lane, oldest.start)
    }
  }
  const nextTurn = (): void => {
    isScheduled = false
    started = 0
    for (const lane of ready) {
      if (started >= perTurnMax) {
        schedule()
        return
      }
      ready.delete(lane)
      if (lane.held.length === 0 || lane.inProgress >= inProgressMax) continue
      const start = takeHeld(lane)
      // The sender's next query comes after those of all other senders.
      if (lane.held.length > 0) ready.add(lane)
      started += 1
      if (start) run(lane, start)
    }
  }
  const schedule = (): void => {
    if (isScheduled) return
    isScheduled = true
    setImmediate(nextTurn)
  }
  const hold = (lane: Lane, start: Start): void => {
    lane.held.push({ start, enteredMs: performance.now() })
    heldCount += 1
    lane.timer ??= setTimeout(startExpired, heldMsMax, lane).unref()
    if (lane.inProgress < inProgressMax) ready.add(lane)
  }

  return {
    enter(sender, start) {
      schedule()
      let lane = lanes.get(sender)
      if (!lane) {
        lane = { sender, inProgress: 0, held: [], timer: undefined }
        lanes.set(sender, lane)
      }
      const isFree = ready.size === 0 && started < perTurnMax && lane.inProgress < inProgressMax
      if (lane.held.length === 0 && isFree) {
        started += 1
        run(lane, start)
      } else if (lane.inProgress >= inProgressMax && lane.held.length >= heldMax) run(lane, start, true)
      else hold(lane, start)
    },
    held: () => heldCount,
  }
}
