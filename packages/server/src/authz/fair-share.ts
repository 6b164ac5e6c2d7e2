/** Bounded memory that several groups share. If it is full, the largest group loses its oldest item. */

/** Finds the key with the largest size. Each change moves a key by one size, so every step takes constant time. */
export const sizeRanking = <Key>() => {
  const keysBySize = new Map<number, Set<Key>>()
  const sizes = new Map<Key, number>()
  let largest = 0
  const change = (key: Key, delta: 1 | -1): void => {
    const sizeBefore = sizes.get(key) ?? 0
    const size = sizeBefore + delta
    const peers = keysBySize.get(sizeBefore)
    peers?.delete(key)
    if (peers?.size === 0) keysBySize.delete(sizeBefore)
    if (size === 0) sizes.delete(key)
    else {
      sizes.set(key, size)
      const newPeers = keysBySize.get(size)
      if (newPeers) newPeers.add(key)
      else keysBySize.set(size, new Set([key]))
    }
    if (size > largest) largest = size
    else if (sizeBefore === largest && !keysBySize.has(largest)) largest = size
  }
  const first = (): Key | undefined => keysBySize.get(largest)?.values().next().value
  return { change, first }
}

export interface FairShare {
  /** Adds an item, and returns the one that it pushed out. */
  add(group: string, item: string): string | undefined
  /** Removes an item that is no longer needed. */
  remove(item: string): void
  /** Removes and returns the oldest item of the largest group. Undefined if there is none. */
  removeOfLargest(): string | undefined
  /** Number of items. */
  size(): number
}

/**
 * Holds at most `max` items, and at most `groupMax` of each group. A group that is full loses its own oldest item; if all together are
 * full, the group with the most items loses its oldest. Items are unique.
 */
export const createFairShare = ({ max, groupMax }: { max: number; groupMax: number }): FairShare => {
  /** Items of each group, oldest first. */
  const groups = new Map<string, Set<string>>()
  const groupByItem = new Map<string, string>()
  const ranking = sizeRanking<string>()
  const remove = (item: string): void => {
    const group = groupByItem.get(item)
    const items = group === undefined ? undefined : groups.get(group)
    if (group === undefined || !items) return
    groupByItem.delete(item)
    items.delete(item)
    if (items.size === 0) groups.delete(group)
    ranking.change(group, -1)
  }
  const removeOldest = (group: string | undefined): string | undefined => {
    const oldest = group === undefined ? undefined : groups.get(group)?.values().next().value
    if (oldest !== undefined) remove(oldest)
    return oldest
  }
  return {
    add(group, item) {
      remove(item)
      const isGroupFull = (groups.get(group)?.size ?? 0) >= groupMax
      const isFull = groupByItem.size >= max
      const removed = isGroupFull ? removeOldest(group) : isFull ? removeOldest(ranking.first()) : undefined
      const items = groups.get(group) ?? new Set()
      groups.set(group, items)
      items.add(item)
      groupByItem.set(item, group)
      ranking.change(group, 1)
      return removed
    },
    remove,
    removeOfLargest: () => removeOldest(ranking.first()),
    size: () => groupByItem.size,
  }
}
