/** Read-write locks in this process. */

export interface ReadWriteLock {
  /** Runs `work` together with other shared users. Waits while somebody holds or awaits the exclusive lock. */
  withShared<T>(work: () => Promise<T>): Promise<T>
  /** Runs `work` when all shared users are done, and makes later ones wait. Exclusive users run in the order of their calls. */
  withExclusive<T>(work: () => Promise<T>): Promise<T>
}

export const createReadWriteLock = (): ReadWriteLock => {
  const sharedUsers = new Set<Promise<unknown>>()
  let exclusiveUsers = 0
  let lastExclusive: Promise<unknown> = Promise.resolve()
  return {
    async withShared(work) {
      while (exclusiveUsers > 0) await lastExclusive
      const running = work()
      sharedUsers.add(running)
      try {
        return await running
      } finally {
        sharedUsers.delete(running)
      }
    },
    withExclusive(work) {
      exclusiveUsers += 1
      const previous = lastExclusive
      const run = async () => {
        try {
          await previous
          await Promise.allSettled(sharedUsers)
          return await work()
        } finally {
          exclusiveUsers -= 1
        }
      }
      const running = run()
      // The caller gets the failure; the next one only waits for its turn.
      lastExclusive = running.catch(() => {})
      return running
    },
  }
}

/** One lock per key. A lock exists only while somebody uses it. */
export const createKeyedLocks = () => {
  const locks = new Map<string, { lock: ReadWriteLock; users: number }>()
  const withLock = async <T>(key: string, work: (lock: ReadWriteLock) => Promise<T>): Promise<T> => {
    const entry = locks.get(key) ?? { lock: createReadWriteLock(), users: 0 }
    locks.set(key, entry)
    entry.users += 1
    try {
      return await work(entry.lock)
    } finally {
      entry.users -= 1
      if (entry.users === 0) locks.delete(key)
    }
  }
  const withExclusive = <T>(key: string, work: () => Promise<T>): Promise<T> =>
    withLock(key, lock => lock.withExclusive(work))
  return {
    withShared: <T>(key: string, work: () => Promise<T>): Promise<T> =>
      withLock(key, lock => lock.withShared(work)),
    withExclusive,
    /** Returns false without running `work` if the lock is in use. */
    async tryExclusive(key: string, work: () => Promise<unknown>): Promise<boolean> {
      if (locks.has(key)) return false
      await withExclusive(key, work)
      return true
    },
  }
}
