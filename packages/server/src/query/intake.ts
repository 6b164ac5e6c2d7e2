/**
 * Starts queries that arrive together over turns of the event loop, round robin over their senders, and holds those of a sender that has many
 * in progress. A thousand queries of one sender would otherwise be authorized and planned in one turn, and the next query of another sender
 * would wait for all of them. A held query is only its request: a thousand planned queries make garbage collection stop everybody for longer.
 * So do a thousand held requests. Once a sender has many, its connections are paused after a reply until it has fewer, and their next requests
 * wait in the buffers of the system.
 */
import { type Connection, countRequest } from './connection-sender.ts'
import { createPausedConnections } from './paused-connections.ts'

/** Queries that start in one turn. More make a turn long; fewer need more turns. */
const perTurnMax = 16

/** Held queries of one sender that are enough to start the next one without delay. */
const heldEnough = 16

export interface IntakeSettings {
  /** Queries of one sender in progress. Later ones are held. */
  inProgressMax: number
  /** Held queries of one sender. Later ones start at once, marked as beyond the limit. */
  heldMax: number
  /** A query that was held for so many milliseconds starts at once, and finds that its time is over. */
  heldMsMax: number
  /** A connection is paused for this many milliseconds at most. The time of its next query starts when the query is read. */
  pausedMsMax: number
}

export interface Intake {
  /**
   * Runs `start` at once, or in a later turn if this one is full or others wait, or if its sender has too many queries in progress.
   * `start` calls `leave` when its query is no longer in progress; further calls have no effect. It must not throw. `connection` may be
   * paused from then on, unless other senders use it too.
   */
  enter(sender: string, start: Start, connection?: Connection): void
  /** Number of held queries. */
  held(): number
  /** Resumes all connections, and pauses no more: the server stops. */
  stopPausing(): void
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
  held: HeldQuery[]
  timer: NodeJS.Timeout | undefined
}

/** A query that is held. */
interface HeldQuery {
  start: Start
  connection: Connection | undefined
  enteredMs: number
}

export const createIntake = ({ inProgressMax, heldMax, heldMsMax, pausedMsMax }: IntakeSettings): Intake => {
  const lanes = new Map<string, Lane>()
  /** Lanes with held queries and fewer than `inProgressMax` in progress, in the order of their turns. */
  const ready = new Set<Lane>()
  let started = 0
  let isScheduled = false
  const deleteIfEmpty = (lane: Lane): void => {
    if (lane.inProgress + lane.held.length === 0 && !paused.has(lane)) lanes.delete(lane.sender)
  }
  const paused = createPausedConnections<Lane>({
    countRequests: lane => lane.inProgress + lane.held.length,
    crowdedMin: inProgressMax,
    enough: inProgressMax + heldEnough,
    pausedMsMax,
    onResumed: deleteIfEmpty,
  })

  const run = (
    lane: Lane,
    { start, connection }: Pick<HeldQuery, 'start' | 'connection'>,
    isBeyondLimit = false,
  ): void => {
    lane.inProgress += 1
    let isOver = false
    const leave = () => {
      if (isOver) return
      isOver = true
      lane.inProgress -= 1
      if (connection) paused.pauseIfCrowded(lane, connection)
      if (lane.held.length > 0) ready.add(lane)
      if (lane.held.length > 0 || paused.has(lane)) schedule()
      else deleteIfEmpty(lane)
    }
    start({ leave, isBeyondLimit })
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
      run(lane, oldest)
    }
  }
  const nextTurn = (): void => {
    isScheduled = false
    started = 0
    for (const lane of paused.senders()) if (paused.resumeNeeded(lane)) schedule()
    for (const lane of ready) {
      if (started >= perTurnMax) {
        schedule()
        return
      }
      ready.delete(lane)
      if (lane.held.length === 0 || lane.inProgress >= inProgressMax) continue
      const query = takeHeld(lane)
      // The sender's next query comes after those of all other senders.
      if (lane.held.length > 0) ready.add(lane)
      started += 1
      if (query) run(lane, query)
    }
  }
  const schedule = (): void => {
    if (isScheduled) return
    isScheduled = true
    setImmediate(nextTurn)
  }
  const hold = (lane: Lane, query: HeldQuery): void => {
    lane.held.push(query)
    lane.timer ??= setTimeout(startExpired, heldMsMax, lane).unref()
    if (lane.inProgress < inProgressMax) ready.add(lane)
  }

  return {
    enter(sender, start, connection) {
      schedule()
      if (connection) countRequest(connection, sender)
      const lane = lanes.get(sender) ?? { sender, inProgress: 0, held: [], timer: undefined }
      lanes.set(sender, lane)
      const isFree = ready.size === 0 && started < perTurnMax && lane.inProgress < inProgressMax
      if (lane.held.length === 0 && isFree) {
        started += 1
        run(lane, { start, connection })
      } else if (lane.inProgress >= inProgressMax && lane.held.length >= heldMax)
        run(lane, { start, connection }, true)
      else hold(lane, { start, connection, enteredMs: performance.now() })
    },
    held: () => sum([...lanes.values()].map(({ held }) => held.length)),
    stopPausing: paused.stop,
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

/** Removes the oldest held query of a lane. */
const takeHeld = (lane: Lane): HeldQuery | undefined => {
  const query = lane.held.shift()
  if (lane.held.length === 0) {
    clearTimeout(lane.timer)
    lane.timer = undefined
  }
  return query
}
