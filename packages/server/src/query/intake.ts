/**
 * Spreads queries that arrive together over turns of the event loop, round robin over their senders. A thousand queries of one sender would
 * otherwise be authorized and planned in one turn, and the next query of another sender would wait for all of them.
 */

/** Queries that start in one turn. More make a turn long; fewer need more turns. */
const perTurnMax = 16

export interface Intake {
  /** Runs `start` at once, or in a later turn if this one is full or others wait. `start` must not throw. */
  enter(sender: string, start: () => void): void
}

export const createIntake = (): Intake => {
  /** Waiting queries by sender, in the order in which the senders have their turns. */
  const lanes = new Map<string, (() => void)[]>()
  let started = 0
  let isScheduled = false

  const nextTurn = (): void => {
    isScheduled = false
    started = 0
    while (started < perTurnMax) {
      const [sender, queue] = lanes.entries().next().value ?? []
      if (sender === undefined || queue === undefined) return
      lanes.delete(sender)
      const start = queue.shift()
      // The sender's next query comes after those of all other senders.
      if (queue.length > 0) lanes.set(sender, queue)
      started += 1
      start?.()
    }
    schedule()
  }
  const schedule = (): void => {
    if (isScheduled) return
    isScheduled = true
    setImmediate(nextTurn)
  }

  return {
    enter(sender, start) {
      schedule()
      if (lanes.size === 0 && started < perTurnMax) {
        started += 1
        start()
        return
      }
      const queue = lanes.get(sender)
      if (queue) queue.push(start)
      else lanes.set(sender, [start])
    },
  }
}
