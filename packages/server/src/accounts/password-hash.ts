/** Password hashes: argon2id in PHC form. */
import { randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { hash, hashRaw, verify } from '@node-rs/argon2'
import pLimit from 'p-limit'

/**
 * argon2id (the library's default) resists guessing on graphics cards and side channels (RFC 9106, section
 * 4). 19 MiB, two passes, one lane: the minimum of OWASP's Password Storage Cheat Sheet, about 25 ms on one
 * core. With more memory, a few concurrent sign-ins could exhaust a small machine; the throttle handles
 * online guessing.
 */
const parameters = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1, outputLen: 32 }

/** The threads of Node by default (nodejs.org/api/cli.html#uv_threadpool_sizesize). They also check the signatures of tokens. */
const threads = 4
/** Half of the threads and half of the processors are left to others, however many passwords arrive at once. */
const inTurn = pLimit(Math.max(1, Math.floor(Math.min(threads, availableParallelism()) / 2)))

/** Keyboards produce the same é as different code points (NIST SP 800-63B-4, section 3.1.1.2). */
export const normalizePassword = (password: string): string => password.normalize('NFKC')

/** The hash includes salt and parameters, so that parameters can change later. */
export const hashPassword = (password: string): Promise<string> =>
  inTurn(() => hash(normalizePassword(password), parameters))

/** Whether the password matches the hash. Throws for an invalid hash. */
export const verifyPassword = (passwordHash: string, password: string): Promise<boolean> =>
  inTurn(() => verify(passwordHash, normalizePassword(password)))

/** Hashes a short secret with a known salt of 16 bytes (base64url). Returns the hash alone, in base64url. */
export const hashWithSalt = async (secret: string, salt: string): Promise<string> =>
  (await inTurn(() => hashRaw(secret, { ...parameters, salt: Buffer.from(salt, 'base64url') }))).toString(
    'base64url',
  )

let dummyHashPromise: Promise<string> | undefined

/** A random hash. Verifying against it takes as long as for a real one and never succeeds. */
export const dummyHash = (): Promise<string> => {
  dummyHashPromise ??= hashPassword(randomBytes(32).toString('base64url'))
  return dummyHashPromise
}
