/** Decides whose work is next: owners take turns, so that the many tasks of one do not delay the few of another. */

export interface FairTurns<Item extends { owner: string }> {
  add(item: Item): void
  /** Removes an item that still waits. */
  remove(item: Item): void
  /** Removes and returns the next item whose owner may run one more; undefined if there is none. */
  start(): Item | undefined
  /** Says that an item of the owner has ended, which `start` had returned. */
  end(owner: string): void
  /** Returns the number of waiting items, of one owner or of all. */
  waiting(owner?: string): number
}

/** `runningMax`: items of one owner that run at once. */
export const createFairTurns = <Item extends { owner: string }>(runningMax: number): FairTurns<Item> => {
  /** In the order of their turns. Only owners with waiting items. */
  const queues = new Map<string, Item[]>()
  const running = new Map<string, number>()
  let waitingCount = 0
  return {
    add(item) {
      const queue = queues.get(item.owner) ?? []
      queue.push(item)
      queues.set(item.owner, queue)
      waitingCount += 1
    },
    remove(item) {
      const queue = queues.get(item.owner)
      const index = queue?.indexOf(item) ?? -1
      if (!queue || index < 0) return
      queue.splice(index, 1)
      if (queue.length === 0) queues.delete(item.owner)
      waitingCount -= 1
    },
    start() {
      for (const [owner, queue] of queues) {
        const count = running.get(owner) ?? 0
        if (count >= runningMax) continue
        const item = queue.shift()
        // The owner goes to the end of the line.
        queues.delete(owner)
        if (queue.length > 0) queues.set(owner, queue)
        if (item === undefined) continue
        running.set(owner, count + 1)
        waitingCount -= 1
        return item
      }
      return undefined
    },
    end(owner) {
      const count = (running.get(owner) ?? 1) - 1
      if (count > 0) running.set(owner, count)
      else running.delete(owner)
    },
    waiting: owner => (owner === undefined ? waitingCount : (queues.get(owner)?.length ?? 0)),
  }
}
