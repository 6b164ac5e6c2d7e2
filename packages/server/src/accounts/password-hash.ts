/** Passwords of people, kept as argon2id hashes in PHC form (authorization-server.md, People and accounts). */
import { randomBytes } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'

/**
 * argon2id (the library's default), for it resists both guessing on graphics cards and reading along in memory (RFC 9106, section 4);
 * 19 MiB, two passes, one lane: the least of OWASP's Password Storage Cheat Sheet, which on one core takes about 25 ms. More memory
 * would let a handful of sign-ins at the same time exhaust a small machine; guessing online is what the throttle is for.
 */
const parameters = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1, outputLen: 32 }

/** Keyboards write the same é in different code points (NIST SP 800-63B-4, section 3.1.1.2). */
const normalizePassword = (password: string): string => password.normalize('NFKC')

/** The hash with its own salt and parameters in it, so that later parameters leave earlier hashes readable. */
export const hashPassword = (password: string): Promise<string> =>
  hash(normalizePassword(password), parameters)

/** Whether `password` is the one of `passwordHash`. Throws when that is no hash of argon2. */
export const verifyPassword = (passwordHash: string, password: string): Promise<boolean> =>
  verify(passwordHash, normalizePassword(password))

let dummyHashPromise: Promise<string> | undefined

/** A hash of chance: who verifies a password against it has done the same work as for a real one, and never succeeds. */
export const dummyHash = (): Promise<string> => {
  dummyHashPromise ??= hashPassword(randomBytes(32).toString('base64url'))
  return dummyHashPromise
}
