/**
 * Sends logout tokens to applications whose sessions ended (OpenID Connect Back-Channel Logout 1.0, section 2.5). The notices are in the storage, so
 * every node can send them, and a crash loses none. Nobody waits for an application: a logout is done before its notices are sent.
 */
import type { Clients, LoadedClient } from '#oauth/library/loaded-client'
import type { Log } from '#oauth/library/log'
import type { Storage } from '#storage/db'
import {
  claimLogoutNotices,
  delayLogoutNotice,
  type LogoutNotice,
  removeLogoutNotice,
} from '#storage/logout-notices'

interface Dependencies {
  storage: Storage
  clients: Pick<Clients, 'find'>
  log: Log
  makeLogoutToken(client: LoadedClient, notice: LogoutNotice): Promise<string>
  /** Posts a form. Resolves with the status; rejects if there is no reply in time, or the address is not allowed. */
  post(address: string, form: URLSearchParams): Promise<number>
}

export interface LogoutDelivery {
  /** Waits for what is being sent, and sends no more. */
  close(): Promise<void>
}

/** Longer than an attempt takes. */
const leaseMs = 30_000
/** Delays after the first attempts; after the last one the notice is given up. */
const retryDelaysMs = [5_000, 60_000, 10 * 60_000]
/** Notices that are due again, and those of nodes that stopped. */
const pollMs = 5_000
/** Sessions end in groups. */
const wakeDelayMs = 20

export const openLogoutDelivery = (dependencies: Dependencies): LogoutDelivery => {
  const { storage, log } = dependencies
  let running: Promise<void> | undefined
  let isWanted = false
  let isClosed = false

  const sendAll = async () => {
    while (isWanted && !isClosed) {
      isWanted = false
      const notices = await claimLogoutNotices(storage, leaseMs)
      if (notices.length > 0) isWanted = true
      await Promise.all(notices.map(notice => deliver(dependencies, notice)))
    }
  }
  const wake = () => {
    isWanted = true
    running ??= sendAll()
      .catch(error => log.warn({ err: error }, 'logout tokens could not be sent'))
      .finally(() => {
        running = undefined
      })
  }
  // The end of a session ends its grants.
  const stopListening = storage.onChange(({ topic }) => {
    if (topic === 'grant') setTimeout(wake, wakeDelayMs).unref()
  })
  const timer = setInterval(wake, pollMs).unref()
  return {
    async close() {
      isClosed = true
      stopListening()
      clearInterval(timer)
      await running
    },
  }
}

const deliver = async (dependencies: Dependencies, notice: LogoutNotice): Promise<void> => {
  const { storage, log, clients } = dependencies
  const { id, clientId, attempts } = notice
  const client = await clients.find(clientId)
  const address = client?.application?.backchannelLogoutUri
  // The application was removed, or wants no more notices.
  if (!client || address === undefined) return removeLogoutNotice(storage.db, id)
  const failure = await send(dependencies, client, address, notice)
  if (failure === undefined) return removeLogoutNotice(storage.db, id)
  const delayMs = retryDelaysMs[attempts - 1]
  const outcome = delayMs === undefined ? 'given up' : `tried again in ${delayMs / 1000} s`
  log.warn({ clientId, address, attempts, reason: failure }, `a logout token was not accepted: ${outcome}`)
  return delayMs === undefined
    ? removeLogoutNotice(storage.db, id)
    : delayLogoutNotice(storage.db, id, delayMs)
}

/** Returns why the application did not accept the logout token. Undefined: it did. */
const send = async (
  { makeLogoutToken, post }: Dependencies,
  client: LoadedClient,
  address: string,
  notice: LogoutNotice,
): Promise<string | undefined> => {
  try {
    const token = await makeLogoutToken(client, notice)
    const status = await post(address, new URLSearchParams({ logout_token: token }))
    return status === 200 || status === 204 ? undefined : `it answered ${status}`
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
