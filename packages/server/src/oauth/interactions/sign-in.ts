/**
 * Signing in by password, and its throttle.
 * Only failures count, for a minute, with the setting `n` (default 10; `off` disables it):
 * - `n` for an account, existing or not.
 * - `10 n` for an address and all accounts, which stops password spraying and tolerates a busy office.
 * - `n` for a known device of the person, which counts for neither of the others. So its owner gets in while
 * others guess, and a stolen cookie speeds up nothing.
 * Past a limit nothing is verified or counted, so waiting a minute always helps. An owner on a new device can
 * use "Forgot your password?", which makes the device known.
 */

import { canonicalEmail } from '@querent/contract/email-address'
import { toNetwork } from '#authz/network'
import type { Storage } from '#storage/db'
import { beginAttempt, countFailures, type Limit } from '#storage/throttles'
import { findUserByEmail, type UserRow } from '#storage/users'

/** Password verification, and a hash that matches nothing. */
export interface Passwords {
  verify(hash: string, password: string): Promise<boolean>
  dummyHash(): Promise<string>
}

/** A user with a password. */
export type Person = UserRow & { password_hash: string }

export interface Attempt {
  email: string
  password: string
  /** IP address. */
  address: string
  /** Returns the id of the device if this person signed in on it before. */
  findDevice(person: Person): string | undefined
}

export type AttemptResult =
  | { outcome: 'accepted'; person: Person }
  | { outcome: 'refused' | 'throttled'; user: UserRow | undefined }

export interface SignIn {
  /**
   * Returns the person or the reason. `refused` reveals neither whether the account exists nor whether it is
   * disabled; `user` is for the log and for mails only.
   */
  attempt(attempt: Attempt): Promise<AttemptResult>
  /** Whether wrong passwords for the account have reached its limit, which known devices don't count for. */
  isGuessed(email: string): Promise<boolean>
}

export const windowMs = 60 * 1000

export const openSignIn = (
  storage: Storage,
  failuresPerMinute: number | 'off',
  { verify, dummyHash }: Passwords,
): SignIn => {
  const { db } = storage
  const limitsFor = (email: string, address: string, device: string | undefined): Limit[] => {
    if (failuresPerMinute === 'off') return []
    if (device !== undefined) return [{ key: `sign-in device ${device}`, failuresMax: failuresPerMinute }]
    return [
      { key: accountKey(email), failuresMax: failuresPerMinute },
      { key: `sign-in address ${toNetwork(address)}`, failuresMax: failuresPerMinute * 10 },
    ]
  }

  /** The same work for existing and unknown people. */
  const verifyPerson = async (person: Person | undefined, password: string): Promise<boolean> => {
    const isMatch = await verify(person?.password_hash ?? (await dummyHash()), password)
    return isMatch && person !== undefined && person.disabled === 0
  }

  return {
    async attempt({ email, password, address, findDevice }) {
      const user = await findUserByEmail(db, email)
      const person = withPassword(user)
      const limits = limitsFor(email, address, person && findDevice(person))
      const attempt = await beginAttempt(storage, limits, windowMs)
      if (!attempt) return { outcome: 'throttled', user }
      if (!(await verifyPerson(person, password)) || !person) return { outcome: 'refused', user }
      await attempt.takeBack()
      return { outcome: 'accepted', person }
    },
    async isGuessed(email) {
      if (failuresPerMinute === 'off') return false
      return (await countFailures(db, accountKey(email), windowMs)) >= failuresPerMinute
    },
  }
}

const accountKey = (email: string): string => `sign-in account ${canonicalEmail(email)}`

const withPassword = (user: UserRow | undefined): Person | undefined =>
  user && user.password_hash !== null ? { ...user, password_hash: user.password_hash } : undefined
