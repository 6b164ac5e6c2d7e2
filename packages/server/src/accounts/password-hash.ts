/** Password hashes: argon2id in PHC form. */
import { randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { hash, hashRaw, verify } from '@node-rs/argon2'
import pLimit from 'p-limit'
import { defineWorkerTask, openWorkerPool } from '#workers/worker-pool'

/**
 * argon2id (the library's default) resists guessing on graphics cards and side channels (RFC 9106, section
 * 4). 19 MiB, two passes, one lane: the minimum of OWASP's Password Storage Cheat Sheet, about 25 ms on one
 * core. With more memory, a few concurrent sign-ins could exhaust a small machine; the throttle handles
 * online guessing. Only test-password-hash.ts changes them.
 */
export const parameters = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1, outputLen: 32 }

/** The threads of Node by default (nodejs.org/api/cli.html#uv_threadpool_sizesize). They also check the signatures of tokens. */
const threads = 4
/** Half of the threads and half of the processors are left to others, however many passwords arrive at once. */
const atOnce = Math.max(1, Math.floor(Math.min(threads, availableParallelism()) / 2))
const inTurn = pLimit(atOnce)

/** Passwords that arrive while others are hashed have threads of low priority, so that a burst of them delays queries and tokens little. */
const burstPool = openWorkerPool({
  threads: atOnce,
  ownerRunningMax: atOnce,
  ownerWaitingMax: Number.POSITIVE_INFINITY,
  waitingMax: Number.POSITIVE_INFINITY,
  timeLimitMs: 30_000,
  idleMs: 60_000,
  hasLowPriority: true,
})
const owner = 'passwords'
type Tasks = typeof import('./password-hash-tasks.ts')
const tasksModule = '#accounts/password-hash-tasks'
const hashTask = defineWorkerTask<Tasks, 'hashText'>(tasksModule, 'hashText')
const hashWithSaltTask = defineWorkerTask<Tasks, 'hashWithTextSalt'>(tasksModule, 'hashWithTextSalt')
const verifyTask = defineWorkerTask<Tasks, 'verifyText'>(tasksModule, 'verifyText')
let inBurst = 0

/** A single password starts no thread: that would take longer than its hash. */
const run = async <Result>(alone: () => Promise<Result>, inPool: () => Promise<Result>): Promise<Result> => {
  if (inBurst === 0 && inTurn.activeCount < atOnce) return inTurn(alone)
  inBurst += 1
  try {
    return await inPool()
  } finally {
    inBurst -= 1
  }
}

/** Passwords that low-priority threads hash now, or will. */
export const countBurst = (): number => inBurst

/** Keyboards produce the same é as different code points (NIST SP 800-63B-4, section 3.1.1.2). */
export const normalizePassword = (password: string): string => password.normalize('NFKC')

/** The hash includes salt and parameters, so that parameters can change later. */
export const hashPassword = (password: string): Promise<string> => {
  const text = normalizePassword(password)
  return run(
    () => hash(text, parameters),
    () => burstPool.run(owner, hashTask, { text, options: parameters }),
  )
}

/** Whether the password matches the hash. Throws for an invalid hash. */
export const verifyPassword = (passwordHash: string, password: string): Promise<boolean> => {
  const text = normalizePassword(password)
  return run(
    () => verify(passwordHash, text),
    () => burstPool.run(owner, verifyTask, { hash: passwordHash, text }),
  )
}

/** Hashes a short secret with a known salt of 16 bytes (base64url). Returns the hash alone, in base64url. */
export const hashWithSalt = (secret: string, salt: string): Promise<string> =>
  run(
    async () =>
      (await hashRaw(secret, { ...parameters, salt: Buffer.from(salt, 'base64url') })).toString('base64url'),
    () => burstPool.run(owner, hashWithSaltTask, { text: secret, salt, options: parameters }),
  )

let dummyHashPromise: Promise<string> | undefined

/** A random hash. Verifying against it takes as long as for a real one and never succeeds. */
export const dummyHash = (): Promise<string> => {
  dummyHashPromise ??= hashPassword(randomBytes(32).toString('base64url'))
  return dummyHashPromise
}
