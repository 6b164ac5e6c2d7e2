/** Checks the caller's password, where an operation takes it. */
import { verifyPassword } from '#accounts/password-hash'
import { Problem } from '#errors'
import { beginAttempt, clearFailures } from '#storage/throttles'
import type { UserRow } from '#storage/users'
import type { ManagementDependencies } from './call.ts'
import { badField } from './validation-problem.ts'

const minuteMs = 60 * 1000

/**
 * Counts like a failed sign-in, so that a stolen token cannot be used to guess the password. `password` undefined: none was sent. `field`: name
 * of the password in the body. Throws 400 or 429, and 409 if the user has no password.
 */
export const refuseWrongPassword = async (
  { storage, signInThrottle }: Pick<ManagementDependencies, 'storage' | 'signInThrottle'>,
  user: UserRow,
  password: string | undefined,
  field: string,
): Promise<void> => {
  if (password === undefined) return
  if (user.password_hash === null)
    throw new Problem('conflict', 'you have no password yet: request a link with "Forgot password?"')
  const key = `change of password ${user.id}`
  const { limits } = makeAttemptLimits({ storage, signInThrottle }, key)
  if (!(await beginAttempt(storage, limits, minuteMs)))
    throw new Problem('too-many-requests', 'too many wrong passwords: try again in a minute', {
      headers: { 'retry-after': '60' },
    })
  if (await verifyPassword(user.password_hash, password)) return clearFailures(storage.db, key)
  throw badField([field], 'wrong-password')
}

/** As many failures a minute as wrong passwords of one account. */
export const makeAttemptLimits = (
  { storage, signInThrottle }: Pick<ManagementDependencies, 'storage' | 'signInThrottle'>,
  key: string,
) => ({ storage, limits: signInThrottle === 'off' ? [] : [{ key, failuresMax: signInThrottle }] })
