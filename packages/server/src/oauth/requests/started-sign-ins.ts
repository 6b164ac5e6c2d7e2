/**
 * Limits sign-ins started without a password. Each leaves a record while its page may stay open, and two
 * cookies. Limits starts per minute for an address, cookies for a browser, and open sign-ins in all; beyond
 * that, the address with the most loses its oldest.
 */
import type { IncomingMessage } from 'node:http'
import { errors, type KoaContextWithOIDC } from 'oidc-provider'
import { createFairShare } from '#authz/fair-share'
import { toNetwork } from '#authz/network'
import { createMinuteCounter, minuteSeconds } from '#memory/minute-counter'
import { interactionSeconds } from '#oauth/library/lifetime'
import type { Db } from '#storage/db'
import { removeRecord } from '#storage/oidc-records'

export interface StartedSignIns {
  /**
   * Throws `temporarily_unavailable` with status 429 for an error page, because the application could only
   * retry.
   */
  refuseTooMany(request: IncomingMessage): void
  /** Registers a stored record and removes the records it displaces, as counted by this node. */
  record(request: IncomingMessage, model: string, id: string): Promise<void>
  /** The record no longer exists. */
  forget(model: string, id: string): void
}

/**
 * Starts for each allowed failed sign-in of an account: 600 a minute by default, more than an office needs.
 */
const startsPerFailure = 60

/** Networks whose starts are counted. */
const networksMax = 20_000
/** Open sign-ins of a node, at most 11 KB each, and of one IPv4 address or IPv6 /64. */
const startedMax = 20_000
const startedPerNetworkMax = 2000

export const openStartedSignIns = (
  db: Db,
  signInThrottle: number | 'off',
  clientAddress: (request: IncomingMessage) => string,
  bounds = { max: startedMax, groupMax: startedPerNetworkMax },
): StartedSignIns => {
  const starts = createMinuteCounter(networksMax)
  const recordShare = createFairShare(bounds)
  return {
    refuseTooMany(request) {
      if (signInThrottle === 'off') return
      const minute = starts.start(toNetwork(clientAddress(request)))
      minute.count += 1
      if (minute.count <= signInThrottle * startsPerFailure) return
      const description = `too many sign-ins were started from this address: wait ${minuteSeconds} seconds and start again`
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

/** Open sign-ins of one browser, across its tabs, with four cookies each. Browsers keep 150 or more of a site. */
const startedPerBrowserMax = 16

export interface CookieNames {
  interaction: string
  resume: string
  /** Ids of open sign-ins, oldest first. */
  startedSignIns: string
}

/** Removes the cookies of this browser's oldest sign-ins when one starts or continues. */
export const evictOldestInteractions = (
  ctx: KoaContextWithOIDC,
  names: CookieNames,
  secure: boolean,
): void => {
  // The type claims that it is always set.
  const location: string | undefined = ctx.response.get('location')
  const [, started] = /^\/interaction\/([\w-]{1,64})$/.exec(location ?? '') ?? []
  // A device's sign-in has its cookies elsewhere, and needs a valid user code.
  const isOfDevice = ctx.oidc.route === 'code_verification' || ctx.oidc.route === 'device_resume'
  if (ctx.status !== 303 || started === undefined || isOfDevice) return
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
