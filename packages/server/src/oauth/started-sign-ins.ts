/**
 * Sign-ins that are begun by anybody, without a password: each leaves a record for as long as its page may stay open, and two cookies.
 * An address begins so many a minute, and a browser keeps the cookies of a few.
 */
import type { IncomingMessage } from 'node:http'
import { errors, type KoaContextWithOIDC } from 'oidc-provider'
import { countsOfAMinute, windowSeconds } from './failed-attempts.ts'
import { networkOf } from './interactions/network.ts'
import { interactionSeconds } from './lifetime.ts'

/** Throws `temporarily_unavailable` with status 429, for a page of ours: the application could but try again. */
export type StartLimit = (request: IncomingMessage) => void

/** For each failed sign-in of an account that the throttle lets pass: 600 a minute by default, more than an office comes to. */
const startsForEach = 60

export const openStartLimit = (
  signInThrottle: number | 'off',
  clientAddress: (request: IncomingMessage) => string,
): StartLimit => {
  if (signInThrottle === 'off') return () => {}
  const count = countsOfAMinute()
  return request => {
    if (count(networkOf(clientAddress(request))) <= signInThrottle * startsForEach) return
    const description = `too many sign-ins were begun from this address: wait ${windowSeconds} seconds and start again`
    throw Object.assign(new errors.TemporarilyUnavailable(description), {
      status: 429,
      statusCode: 429,
      allow_redirect: false,
    })
  }
}

/** Sign-ins under way in one browser, in as many tabs. */
const underWayMax = 5

export interface CookieNames {
  interaction: string
  resume: string
  /** The ids of those under way, oldest first. */
  underWay: string
}

/** Where a sign-in begins or goes on to its next page, removes the cookies of the oldest ones of this browser. */
export const forgetOldest = (ctx: KoaContextWithOIDC, names: CookieNames, secure: boolean): void => {
  // Typed as if there always were one.
  const location: string | undefined = ctx.response.get('location')
  const [, started] = /^\/interaction\/([\w-]{1,64})$/.exec(location ?? '') ?? []
  if (ctx.status !== 303 || started === undefined) return
  const known = (ctx.cookies.get(names.underWay) ?? '').split('.').filter(uid => /^[\w-]{1,64}$/.test(uid))
  const all = [...known, started]
  const kept = all.slice(-underWayMax)
  const options = { httpOnly: true, sameSite: 'lax', secure } as const
  for (const uid of all.slice(0, -underWayMax).slice(-underWayMax)) {
    ctx.cookies.set(names.interaction, null, { ...options, path: `/interaction/${uid}` })
    ctx.cookies.set(names.resume, null, { ...options, path: `/authorize/${uid}` })
  }
  ctx.cookies.set(names.underWay, kept.join('.'), {
    ...options,
    path: '/authorize',
    maxAge: interactionSeconds * 1000,
  })
}
