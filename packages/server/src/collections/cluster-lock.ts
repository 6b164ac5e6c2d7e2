/** Read-write locks across processes: first the lock of this process, then one in the shared storage. */
import type { Db, Writer } from '#storage/db'
import type { Lock, Locks } from '#storage/locks'
import { createKeyedLocks } from './read-write-lock.ts'

/** An exclusive lock that its user holds. */
export interface LockHandle {
  /** Makes the transaction fail with 503 if the lock is lost before its end, as it is with the storage's connection. */
  assertHeldAtCommit(writer: Writer): void
}

export interface ClusterLocks {
  /**
   * Runs `work` together with other shared users. Afterwards throws 503 if somebody may have held the lock exclusively meanwhile.
   * `whenTaken` runs first if this process did not hold the lock before.
   */
  withShared<T>(key: string, work: () => Promise<T>, whenTaken?: () => Promise<void>): Promise<T>
  /** Runs `work` when all other users are done, here and elsewhere. Afterwards throws 503 if the lock was lost without an assertion. */
  withExclusive<T>(key: string, work: (lock: LockHandle) => Promise<T>): Promise<T>
  /** Returns false without running `work` if the lock is in use. */
  tryExclusive(key: string, work: (lock: LockHandle) => Promise<unknown>): Promise<boolean>
  /** Only between the users of this process. */
  local: ReturnType<typeof createKeyedLocks>
}

/** Without `locks`, this process is the only one. */
export const createClusterLocks = (locks: Locks | undefined): ClusterLocks => {
  const local = createKeyedLocks()
  if (!locks) {
    const localHandle: LockHandle = { assertHeldAtCommit: () => {} }
    return {
      withShared: local.withShared,
      withExclusive: (key, work) => local.withExclusive(key, () => work(localHandle)),
      tryExclusive: (key, work) => local.tryExclusive(key, () => work(localHandle)),
      local,
    }
  }
  const withStorageLock = createSharedLocks(locks)
  return {
    withShared: (key, work, whenTaken) => local.withShared(key, () => withStorageLock(key, work, whenTaken)),
    withExclusive: (key, work) =>
      local.withExclusive(key, async () => runAndRelease(await locks.take(key, 'exclusive'), work)),
    async tryExclusive(key, work) {
      let isDone = false
      await local.tryExclusive(key, async () => {
        const lock = await locks.tryTake(key, 'exclusive')
        if (!lock) return
        await runAndRelease(lock, work)
        isDone = true
      })
      return isDone
    },
    local,
  }
}

const runAndRelease = async <T>(lock: Lock, work: (lock: LockHandle) => Promise<T>): Promise<T> => {
  let isAsserted = false
  const assertHeld = async (db: Db) => {
    await lock.assertHeld(db)
    isAsserted = true
  }
  let result: T
  try {
    result = await work({ assertHeldAtCommit: writer => writer.runLast(assertHeld) })
  } catch (error) {
    // Report the first failure. A lock that cannot be released is gone with its connection.
    await lock.release().catch(() => {})
    throw error
  }
  await lock.release().catch(error => {
    if (!isAsserted) throw error
  })
  return result
}

/** A lock in the storage that all shared users of a key in this process have together. */
interface SharedLock {
  lock: Promise<Lock>
  users: number
  /** Another process waits for the exclusive lock, so new users wait until it is done. */
  isClosed: boolean
  released: PromiseWithResolvers<void>
}

const createSharedLocks = (locks: Locks) => {
  const active = new Map<string, SharedLock>()
  const take = (key: string, whenTaken: () => Promise<void>): SharedLock => {
    const takeFromStorage = async () => {
      const lock = await locks.take(key, 'shared')
      try {
        await whenTaken()
        return lock
      } catch (error) {
        // Report the first failure. A lock that cannot be released is gone with its connection.
        await lock.release().catch(() => {})
        throw error
      }
    }
    const shared: SharedLock = {
      lock: takeFromStorage(),
      users: 0,
      isClosed: false,
      released: Promise.withResolvers(),
    }
    active.set(key, shared)
    return shared
  }
  /** Throws unless the lock was held until now: both calls need an answer from its session. */
  const leave = async (key: string, shared: SharedLock, lock: Lock | undefined) => {
    try {
      if (lock && shared.users > 1 && (await lock.isWanted())) shared.isClosed = true
    } finally {
      shared.users -= 1
      if (shared.users === 0) {
        if (active.get(key) === shared) active.delete(key)
        shared.released.resolve()
        await lock?.release()
      }
    }
  }
  return async <T>(key: string, work: () => Promise<T>, whenTaken = async () => {}): Promise<T> => {
    let shared = active.get(key)
    while (shared?.isClosed) {
      await shared.released.promise
      shared = active.get(key)
    }
    shared ??= take(key, whenTaken)
    shared.users += 1
    let lock: Lock | undefined
    let result: T
    try {
      lock = await shared.lock
      result = await work()
    } catch (error) {
      // Report the first failure.
      await leave(key, shared, lock).catch(() => {})
      throw error
    }
    await leave(key, shared, lock)
    return result
  }
}
