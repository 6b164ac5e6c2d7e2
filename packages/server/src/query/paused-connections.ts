/** Pauses the connections of senders with many requests, so that their next requests wait in the buffers of the system and take no memory here. */
import { type Connection, isOfOneSender } from './connection-sender.ts'

export interface PauseSettings<Sender> {
  /** Requests of the sender that were read and have no reply yet. */
  countRequests(sender: Sender): number
  /** With as many requests of its sender, a connection is paused after a reply. */
  crowdedMin: number
  /** Connections of a sender resume until it has as many requests. */
  enough: number
  /** A connection is paused for this many milliseconds at most. */
  pausedMsMax: number
  /** Called when a sender has no paused connection any more. */
  onResumed(sender: Sender): void
}

export interface PausedConnections<Sender> {
  /** Pauses the connection if its sender has many requests, and other senders don't use it. Call it when a reply is ready. */
  pauseIfCrowded(sender: Sender, connection: Connection): void
  /** Resumes as many connections as the sender needs requests. Returns whether to call it again in the next turn: it may need more. */
  resumeNeeded(sender: Sender): boolean
  /** Senders with paused connections. */
  senders(): Iterable<Sender>
  has(sender: Sender): boolean
  /** Resumes all, and pauses no more. */
  stop(): void
}

interface Paused {
  /** And when they were paused, in this order. */
  connections: Map<Connection, number>
  timer: NodeJS.Timeout
}

export const createPausedConnections = <Sender>({
  countRequests,
  crowdedMin,
  enough,
  pausedMsMax,
  onResumed,
}: PauseSettings<Sender>): PausedConnections<Sender> => {
  const pausedBySender = new Map<Sender, Paused>()
  let isStopped = false

  const resume = (sender: Sender, { connections, timer }: Paused, connection: Connection): void => {
    connections.delete(connection)
    connection.resume()
    if (connections.size > 0) return
    clearTimeout(timer)
    pausedBySender.delete(sender)
    onResumed(sender)
  }
  const resumeExpired = (sender: Sender): void => {
    const paused = pausedBySender.get(sender)
    const nowMs = performance.now()
    for (const [connection, pausedMs] of paused?.connections ?? []) {
      const restMs = pausedMs + pausedMsMax - nowMs
      if (restMs > 0) {
        if (paused) paused.timer = setTimeout(resumeExpired, Math.ceil(restMs), sender).unref()
        return
      }
      if (paused) resume(sender, paused, connection)
    }
  }

  return {
    pauseIfCrowded(sender, connection) {
      if (isStopped || countRequests(sender) < crowdedMin || !isOfOneSender(connection)) return
      connection.pause()
      let paused = pausedBySender.get(sender)
      if (!paused) {
        paused = { connections: new Map(), timer: setTimeout(resumeExpired, pausedMsMax, sender).unref() }
        pausedBySender.set(sender, paused)
      }
      paused.connections.set(connection, performance.now())
    },
    resumeNeeded(sender) {
      const paused = pausedBySender.get(sender)
      let missingRequests = enough - countRequests(sender)
      for (const connection of paused?.connections.keys() ?? []) {
        if (missingRequests <= 0) break
        missingRequests -= 1
        if (paused) resume(sender, paused, connection)
      }
      // Those that resumed may have no request.
      return pausedBySender.has(sender) && countRequests(sender) < crowdedMin
    },
    senders: () => pausedBySender.keys(),
    has: sender => pausedBySender.has(sender),
    stop() {
      isStopped = true
      for (const [sender, paused] of pausedBySender)
        for (const connection of paused.connections.keys()) resume(sender, paused, connection)
    },
  }
}
