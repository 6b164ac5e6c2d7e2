/**
 * Sign-ins that are begun by anybody, without a password: each leaves a record for as long as its page may stay open, and two cookies.
 * An address begins so many a minute, and a browser keeps the cookies of a few. So many stand at a time; beyond that, the address with the
 * most loses its oldest.
 */
import type { IncomingMessage } from 'node:http'
import { errors, type KoaContextWithOIDC } from 'oidc-provider'
import { createFairShare } from '#authz/fair-share'
import { toNetwork } from '#authz/network'
import { createPerMinuteCounter, windowSeconds } from '#oauth/requests/failed-attempts'
import { interactionSeconds } from '#oauth/tokens/lifetime'
import type { Db } from '#storage/db'
import { removeRecord } from '#storage/oidc-records'

export interface StartedSignIns {
  /** Throws `temporarily_unavailable` with status 429, for a page of ours: the application could but try again. */
  refuseTooMany(request: IncomingMessage): void
  /** Notes a record that a sign-in left in the storage. Removes the records that it pushes out, on this node's account. */
  record(request: IncomingMessage, model: string, id: string): Promise<void>
  /** The record has gone. */
  forget(model: string, id: string): void
}

/** For each failed sign-in of an account that the throttle lets pass: 600 a minute by default, more than an office comes to. */
const startsPerFailure = 60

/** Started sign-ins that a node lets stand: in all, at most 11 KB each, and of one IPv4 address or IPv6 /64. */
const startedMax = 20_000
const startedPerNetworkMax = 2000

export const openStartedSignIns = (
  db: Db,
  signInThrottle: number | 'off',
  clientAddress: (request: IncomingMessage) => string,
  bounds = { max: startedMax, groupMax: startedPerNetworkMax },
): StartedSignIns => {
  const count = createPerMinuteCounter()
  const recordShare = createFairShare(bounds)
  return {
    refuseTooMany(request) {
      if (signInThrottle === 'off') return
      if (count(toNetwork(clientAddress(request))) <= signInThrottle * startsPerFailure) return
      const description = `too many sign-ins were begun from this address: wait ${windowSeconds} seconds and start again`
      throw Object.assign(new errors.TemporarilyUnavailable(description), {
        status: 429,
        statusCode: 429,
        allow_redirect: false,
      })
    },
    async record(request, model, id) {
      const pushedOut = recordShare.add(toNetwork(clientAddress(request)), `${model} ${id}`)
      const [oldModel, oldId] = pushedOut?.split(' ', 2) ?? []
      if (oldModel !== undefined && oldId !== undefined) await removeRecord(db, oldModel, oldId)
    },
    forget: (model, id) => recordShare.remove(`${model} ${id}`),
  }
}

/** Sign-ins under way in one browser, in as many tabs. */
const startedPerBrowserMax = 5

export interface CookieNames {
  interaction: string
  resume: string
  /** The ids of those under way, oldest first. */
  startedSignIns: string
}

/** Where a sign-in begins or goes on to its next page, removes the cookies of the oldest ones of this browser. */
export const evictOldestInteractions = (
  ctx: KoaContextWithOIDC,
  names: CookieNames,
  secure: boolean,
): void => {
  // Typed as if there always were one.
  const location: string | undefined = ctx.response.get('location')
  const [, started] = /^\/interaction\/([\w-]{1,64})$/.exec(location ?? '') ?? []
  if (ctx.status !== 303 || started === undefined) return
  const startedUids = (ctx.cookies.get(names.startedSignIns) ?? '')
    .split('.')
    .filter(uid => /^[\w-]{1,64}$/.test(uid))
  const allUids = [...startedUids, started]
  const keptUids = allUids.slice(-startedPerBrowserMax)
  const options = { httpOnly: true, sameSite: 'lax', secure } as const
  for (const uid of allUids.slice(0, -startedPerBrowserMax).slice(-startedPerBrowserMax)) {
    ctx.cookies.set(names.interaction, null, { ...options, path: `/interaction/${uid}` })
    ctx.cookies.set(names.resume, null, { ...options, path: `/authorize/${uid}` })
  }
  ctx.cookies.set(names.startedSignIns, keptUids.join('.'), {
    ...options,
    path: '/authorize',
    maxAge: interactionSeconds * 1000,
  })
}
