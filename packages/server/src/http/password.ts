/** Passwords of people, kept as argon2id hashes in PHC form (authorization-server.md, People and accounts). */
import { hash, verify } from '@node-rs/argon2'

/** OWASP Password Storage Cheat Sheet, argon2id: 19 MiB, two passes, one lane; about 25 ms. The library's algorithm is argon2id. */
const parameters = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1, outputLen: 32 }

/** The hash with its own salt and parameters in it, so that later parameters leave earlier hashes readable. */
export const hashPassword = (password: string): Promise<string> => hash(password, parameters)

/** Whether `password` is the one of `passwordHash`. Throws when that is no hash of argon2. */
export const verifyPassword = (passwordHash: string, password: string): Promise<boolean> =>
  verify(passwordHash, password)
