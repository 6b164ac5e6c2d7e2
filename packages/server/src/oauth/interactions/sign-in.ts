/**
 * Signing in by password: who it is, and how often anybody may guess (authorization-server.md, People and accounts).
 *
 * The rule of the throttle, with `n` of the setting (10; `off` for none). Only failures count, for a minute:
 * - `n` for an account, whoever guesses, whether there is such an account or not;
 * - `10 n` for an address, whatever accounts it tries: that stops the spraying of one password over many accounts, and leaves a busy
 *   office behind one address alone;
 * - a device on which the person signed in before counts neither, but `n` of its own. So its owner gets in while others guess, and one
 *   who stole the cookie guesses no faster.
 * Past a limit nothing is verified and nothing counted, so a wait of a minute always helps. An owner on a new device, of whose account
 * somebody keeps guessing, has the way by "Forgot your password?", which makes the device a known one.
 */

import { toNetwork } from '#authz/network'
import type { Storage } from '#storage/db'
import { beginAttempt, type Limit } from '#storage/throttles'
import { findUserByEmail, foldEmail, type UserRow } from '#storage/users'

/** Whether a password is that of a hash; and a hash that fits nobody. */
export interface Passwords {
  verify(hash: string, password: string): Promise<boolean>
  dummyHash(): Promise<string>
}

/** Somebody who may sign in by password. */
export type Person = UserRow & { password_hash: string }

export interface Attempt {
  email: string
  password: string
  /** IP address. */
  address: string
  /** Id of the device, if this person signed in on it before. */
  findDevice(person: Person): string | undefined
}

export interface SignIn {
  /** The person; or why not. `refused` says neither whether there is such an account, nor whether it is disabled. */
  attempt(attempt: Attempt): Promise<Person | 'refused' | 'throttled'>
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
      { key: `sign-in account ${email}`, failuresMax: failuresPerMinute },
      { key: `sign-in address ${toNetwork(address)}`, failuresMax: failuresPerMinute * 10 },
    ]
  }

  /** The same work for whoever is there and whoever is not. */
  const verifyPerson = async (person: Person | undefined, password: string): Promise<boolean> => {
    const isMatch = await verify(person?.password_hash ?? (await dummyHash()), password)
    return isMatch && person !== undefined && person.disabled === 0
  }

  return {
    async attempt({ email, password, address, findDevice }) {
      const user = await findUserByEmail(db, email)
      const person = withPassword(user)
      const limits = limitsFor(foldEmail(email), address, person && findDevice(person))
      const attempt = await beginAttempt(storage, limits, windowMs)
      if (!attempt) return 'throttled'
      if (!(await verifyPerson(person, password)) || !person) return 'refused'
      await attempt.takeBack()
      return person
    },
  }
}

const withPassword = (user: UserRow | undefined): Person | undefined =>
  user && user.password_hash !== null ? { ...user, password_hash: user.password_hash } : undefined
