/**
 * Locks between the threads of this process, for storages that have none between processes. The main thread grants them in the order of the
 * requests; a thread that ends gives up its own.
 */
import type { MessagePort } from 'node:worker_threads'
import type { Lock, LockMode, Locks } from './locks.ts'

interface Waiter {
  mode: LockMode
  grant(): void
}

/** The users of one key. It exists only while there are some. */
interface Users {
  shared: number
  hasExclusive: boolean
  waiting: Waiter[]
}

type Release = () => void

const createGrants = () => {
  const usersByKey = new Map<string, Users>()
  const mayStart = (users: Users, mode: LockMode): boolean =>
    !users.hasExclusive && (mode === 'shared' || users.shared === 0)
  const start = (key: string, users: Users, mode: LockMode): Release => {
    if (mode === 'shared') users.shared += 1
    else users.hasExclusive = true
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      if (mode === 'shared') users.shared -= 1
      else users.hasExclusive = false
      while (users.waiting[0] && mayStart(users, users.waiting[0].mode)) users.waiting.shift()?.grant()
      if (users.shared === 0 && !users.hasExclusive && users.waiting.length === 0) usersByKey.delete(key)
    }
  }
  const findUsers = (key: string): Users => {
    const users = usersByKey.get(key) ?? { shared: 0, hasExclusive: false, waiting: [] }
    usersByKey.set(key, users)
    return users
  }
  /** Returns undefined if others use the lock or wait for it. */
  const tryTake = (key: string, mode: LockMode): Release | undefined => {
    const users = findUsers(key)
    return users.waiting.length === 0 && mayStart(users, mode) ? start(key, users, mode) : undefined
  }
  return {
    tryTake,
    async take(key: string, mode: LockMode): Promise<Release> {
      const release = tryTake(key, mode)
      if (release) return release
      const users = findUsers(key)
      return new Promise(resolve => {
        users.waiting.push({ mode, grant: () => resolve(start(key, users, mode)) })
      })
    },
    isWanted: (key: string): boolean => (usersByKey.get(key)?.waiting.length ?? 0) > 0,
  }
}

/** A question of a thread to the main thread. `lock` names a lock that it takes or has. */
export interface LockRequest {
  request: number
  step: 'take' | 'tryTake' | 'isWanted' | 'release'
  lock: number
  key: string
  mode: LockMode
}

export interface LockReply {
  request: number
  value: boolean
}

export interface ThreadLocks {
  /** For the main thread. */
  locks: Locks
  /** Grants locks to the thread at the other end. Call the returned function when it has ended. */
  serve(port: Pick<MessagePort, 'on' | 'postMessage'>): () => void
}

export const openThreadLocks = (): ThreadLocks => {
  const grants = createGrants()
  const makeLock = (key: string, release: Release): Lock => ({
    isWanted: async () => grants.isWanted(key),
    // No connection can break.
    assertHeld: async () => {},
    release: async () => release(),
  })
  return {
    locks: {
      take: async (key, mode) => makeLock(key, await grants.take(key, mode)),
      async tryTake(key, mode) {
        const release = grants.tryTake(key, mode)
        return release && makeLock(key, release)
      },
      keep: async (key, mode) => grants.tryTake(key, mode) !== undefined,
      close: async () => {},
    },
    serve(port) {
      const releases = new Map<number, Release>()
      let hasEnded = false
      const run = async ({ step, lock, key, mode }: LockRequest): Promise<boolean> => {
        if (step === 'isWanted') return grants.isWanted(key)
        if (step === 'release') {
          releases.get(lock)?.()
          return releases.delete(lock)
        }
        const release = step === 'take' ? await grants.take(key, mode) : grants.tryTake(key, mode)
        if (release && hasEnded) release()
        else if (release) releases.set(lock, release)
        return release !== undefined
      }
      port.on('message', async (request: LockRequest) => {
        const reply: LockReply = { request: request.request, value: await run(request) }
        if (!hasEnded) port.postMessage(reply)
      })
      return () => {
        hasEnded = true
        for (const release of releases.values()) release()
      }
    },
  }
}

/** Returns the locks of a thread whose main thread serves `port`. */
export const connectThreadLocks = (port: MessagePort): Locks => {
  const waiting = new Map<number, (value: boolean) => void>()
  let requests = 0
  port.on('message', ({ request, value }: LockReply) => {
    waiting.get(request)?.(value)
    waiting.delete(request)
  })
  // Locks do not keep the thread alive.
  port.unref()
  const ask = (question: Omit<LockRequest, 'request'>): Promise<boolean> =>
    new Promise(resolve => {
      requests += 1
      waiting.set(requests, resolve)
      port.postMessage({ ...question, request: requests } satisfies LockRequest)
    })
  let lastLock = 0
  const take = async (step: 'take' | 'tryTake', key: string, mode: LockMode): Promise<Lock | undefined> => {
    lastLock += 1
    const lock = lastLock
    if (!(await ask({ step, lock, key, mode }))) return undefined
    return {
      isWanted: () => ask({ step: 'isWanted', lock, key, mode }),
      assertHeld: async () => {},
      release: async () => void (await ask({ step: 'release', lock, key, mode })),
    }
  }
  return {
    async take(key, mode) {
      const lock = await take('take', key, mode)
      if (!lock) throw new Error(`the lock ${key} was not granted`)
      return lock
    },
    tryTake: (key, mode) => take('tryTake', key, mode),
    keep: async (key, mode) => (await take('tryTake', key, mode)) !== undefined,
    close: async () => port.close(),
  }
}
