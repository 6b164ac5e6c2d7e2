/**
 * Limits of requests for a new password. They count what is typed, whether or not it is an account's address, so the page may say that a limit
 * is reached. A network beyond its limit gets no mails for strangers any more. People with an account get theirs all the same, so nobody can
 * take "Forgot your password?" from a whole office.
 */
import { canonicalEmail } from '@querent/contract/email-address'
import { toNetwork } from '#authz/network'
import type { ForgottenFault } from '#oauth/pages/password-pages'
import { beginAttempt, countdownMs, countFailures } from '#storage/throttles'
import type { PageDependencies, PageRequest } from './page-request.ts'
import { recordSignIn } from './sign-in-record.ts'

const hourMs = 60 * 60 * 1000
const dayMs = 24 * hourMs
/** Mails to one address; one network may request this many times the throttle. A throttle of `off` disables both. */
const perHourMax = 5
/** After this many in a day one an hour: a flood bores, and the owner still gets a link that works. */
const perDayMax = 10

export interface ReachedLimit {
  kind: Extract<ForgottenFault, 'network' | 'address'>
  /** Time until another request is below the limit. */
  waitMs: number
}

/** Counts a request. Returns the limit that it has reached; undefined: none. */
export const countResetRequest = async (
  deps: Pick<PageDependencies, 'storage' | 'signInThrottle' | 'signInLog' | 'log'>,
  pageRequest: PageRequest,
  email: string,
): Promise<ReachedLimit | undefined> => {
  const { storage, signInThrottle } = deps
  if (signInThrottle === 'off') return undefined
  const { db } = storage
  const key = `forgotten password ${canonicalEmail(email)}`
  const isMany = (await countFailures(db, key, dayMs)) >= perDayMax
  const ofAddress = { key, failuresMax: isMany ? 1 : perHourMax }
  const ofNetwork = {
    key: `forgotten password from ${toNetwork(pageRequest.address)}`,
    failuresMax: perHourMax * signInThrottle,
  }
  const find = async (): Promise<ReachedLimit | undefined> => {
    if (!(await beginAttempt(storage, [ofAddress], hourMs, dayMs)))
      return { kind: 'address', waitMs: await countdownMs(db, ofAddress, hourMs) }
    if (!(await beginAttempt(storage, [ofNetwork], hourMs)))
      return { kind: 'network', waitMs: await countdownMs(db, ofNetwork, hourMs) }
    return undefined
  }
  const limit = await find()
  if (limit) await recordLimit(deps, pageRequest, limit, limit.kind === 'address' ? key : ofNetwork.key)
  return limit
}

/** Whether an address without an account may get another mail: one a day. */
export const mayMailStranger = async (
  { storage, signInThrottle }: Pick<PageDependencies, 'storage' | 'signInThrottle'>,
  email: string,
): Promise<boolean> => {
  if (signInThrottle === 'off') return true
  const limit = { key: `no account ${canonicalEmail(email)}`, failuresMax: 1 }
  return (await beginAttempt(storage, [limit], dayMs, dayMs)) !== undefined
}

/** Records the refusal in the sign-in log, and once an hour for an address or network in the server's log. */
const recordLimit = async (
  { storage, signInLog, log }: Pick<PageDependencies, 'storage' | 'signInLog' | 'log'>,
  pageRequest: PageRequest,
  { kind, waitMs }: ReachedLimit,
  key: string,
): Promise<void> => {
  recordSignIn({ signInLog }, pageRequest, { kind: 'sign-in', result: 'reset-throttled', method: 'password' })
  if (!(await beginAttempt(storage, [{ key: `logged ${key}`, failuresMax: 1 }], hourMs))) return
  const { address, requestId } = pageRequest
  const facts = { requestId, limit: kind, network: toNetwork(address), waitSeconds: Math.ceil(waitMs / 1000) }
  log.warn(facts, 'too many requests for a new password')
}
