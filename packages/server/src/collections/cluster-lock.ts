/** The same gates in several processes: first this one's, then a lock in the storage that all have. */
import type { Db, Writer } from '#storage/db'
import type { Lock, Locks } from '#storage/locks'
import { openLocalGates } from './read-write-lock.ts'

/** A gate that somebody has alone. */
export interface Held {
  /** The transaction fails at its end, with 503, when the gate was lost until then, as with the storage's connection. */
  confirm(writer: Writer): void
}

export interface Gates {
  /**
   * Runs `work` beside others that share; throws 503 afterwards when somebody may have had the gate alone meanwhile. `whenTaken` runs
   * before, when the gate was out of this process's hands.
   */
  share<T>(key: string, work: () => Promise<T>, whenTaken?: () => Promise<void>): Promise<T>
  /** Runs `work` when all others are done, here and elsewhere. Throws 503 afterwards when the gate was lost and not confirmed. */
  alone<T>(key: string, work: (held: Held) => Promise<T>): Promise<T>
  /** False, and nothing is done, when somebody uses the gate. */
  tryAlone(key: string, work: (held: Held) => Promise<unknown>): Promise<boolean>
  /** Among those of this process. */
  local: ReturnType<typeof openLocalGates>
}

/** Without `locks` there is this process only. */
export const openGates = (locks: Locks | undefined): Gates => {
  const local = openLocalGates()
  if (!locks) {
    const held: Held = { confirm: () => {} }
    return {
      share: local.share,
      alone: (key, work) => local.alone(key, () => work(held)),
      tryAlone: (key, work) => local.tryAlone(key, () => work(held)),
      local,
    }
  }
  const shared = openSharedLocks(locks)
  return {
    share: (key, work, whenTaken) => local.share(key, () => shared(key, work, whenTaken)),
    alone: (key, work) => local.alone(key, async () => holding(await locks.take(key, 'alone'), work)),
    async tryAlone(key, work) {
      let isDone = false
      await local.tryAlone(key, async () => {
        const lock = await locks.tryTake(key, 'alone')
        if (!lock) return
        await holding(lock, work)
        isDone = true
      })
      return isDone
    },
    local,
  }
}

const holding = async <T>(lock: Lock, work: (held: Held) => Promise<T>): Promise<T> => {
  let isConfirmed = false
  const confirm = async (db: Db) => {
    await lock.assertHeld(db)
    isConfirmed = true
  }
  let done: T
  try {
    done = await work({ confirm: writer => writer.runLast(confirm) })
  } catch (error) {
    // The failure is what counts; a lock that could not be given back has gone with its connection.
    await lock.release().catch(() => {})
    throw error
  }
  await lock.release().catch(error => {
    if (!isConfirmed) throw error
  })
  return done
}

/** A lock that those have together who share a gate in this process. */
interface Together {
  lock: Promise<Lock>
  users: number
  /** Another process waits for the gate: who comes now waits behind it. */
  isClosed: boolean
  ended: PromiseWithResolvers<void>
}

const openSharedLocks = (locks: Locks) => {
  const underway = new Map<string, Together>()
  const begin = (key: string, whenTaken: () => Promise<void>): Together => {
    const take = async () => {
      const lock = await locks.take(key, 'share')
      try {
        await whenTaken()
        return lock
      } catch (error) {
        await lock.release().catch(() => {})
        throw error
      }
    }
    const together: Together = {
      lock: take(),
      users: 0,
      isClosed: false,
      ended: Promise.withResolvers(),
    }
    underway.set(key, together)
    return together
  }
  /** Proves that the lock was held until now: its session answers. */
  const leave = async (key: string, together: Together, lock: Lock | undefined) => {
    try {
      if (lock && together.users > 1 && (await lock.isWanted())) together.isClosed = true
    } finally {
      together.users -= 1
      if (together.users === 0) {
        if (underway.get(key) === together) underway.delete(key)
        together.ended.resolve()
        await lock?.release()
      }
    }
  }
  return async <T>(key: string, work: () => Promise<T>, whenTaken = async () => {}): Promise<T> => {
    let together = underway.get(key)
    while (together?.isClosed) {
      await together.ended.promise
      together = underway.get(key)
    }
    together ??= begin(key, whenTaken)
    together.users += 1
    let lock: Lock | undefined
    let done: T
    try {
      lock = await together.lock
      done = await work()
    } catch (error) {
      await leave(key, together, lock).catch(() => {})
      throw error
    }
    await leave(key, together, lock)
    return done
  }
}
