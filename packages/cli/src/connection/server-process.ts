/** Starts the servers in this process, waits until they answer, and stops them. */
import { get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '@querent/server/config/config'
import type { RunningServer } from '@querent/server/main'
import { CommandError } from '#command-line/failure'
import { note } from '#terminal/output'

export interface Servers extends RunningServer {
  /** Resolves at SIGTERM or SIGINT, which no longer end the process by themselves. A second signal ends it at once. */
  stopRequested: Promise<void>
  /** Returns whether the servers must stop: after a signal, or because another server took the lock. */
  isStopping: () => boolean
  /** Gives requests in flight some time to finish, then cuts the rest. */
  close(): Promise<void>
}

const readyTimeoutMs = 120_000
/** Time for the engine and the storage to close, after the requests. */
const closeTimeoutMs = 20_000

/**
 * Starts the servers and waits until their metadata documents answer, or until they must stop: then `isStopping()` is true. Throws if they
 * cannot start. `isDemo` also serves the search page of the demo.
 */
export const startServers = async (config: Config, options?: { isDemo: boolean }): Promise<Servers> => {
  const { start } = await import('@querent/server/main')
  // Listen before the start, because a signal may follow the ready line immediately.
  const stopRequested = listenForStop()
  const running = await start(config, options)
  const stopping = new AbortController()
  const stopped = Promise.race([stopRequested, running.lockLost]).then(() => stopping.abort())
  const servers = {
    ...running,
    stopRequested,
    isStopping: () => stopping.signal.aborted,
    close: () => closeInTime(running, (config.drainSeconds + config.shutdownSeconds) * 1000),
  }
  const documents = [
    ...(config.only === 'authorization' ? [] : [`${servers.baseUrl}/.well-known/oauth-protected-resource`]),
    ...(config.only === 'query' ? [] : [`${servers.authUrl}/.well-known/oauth-authorization-server`]),
  ]
  try {
    // A public address may go through a proxy that is not running yet, or that this machine cannot reach.
    const replies = documents.filter(isLocal).map(address => awaitReply(address, stopping.signal))
    await Promise.race([Promise.all(replies), stopped])
  } catch (error) {
    await servers.close()
    throw error
  }
  return servers
}

const isLocal = (address: string): boolean => address.startsWith('http://')

/** Resolves when the address answers, and when `ending` aborts. */
const awaitReply = async (address: string, stopping: AbortSignal): Promise<void> => {
  const giveUpAtMs = Date.now() + readyTimeoutMs
  let lastResult = 'nothing'
  while (Date.now() < giveUpAtMs) {
    if (stopping.aborted) return
    try {
      const status = await fetchStatus(address, stopping)
      if (status === 200) return
      lastResult = `status ${status}`
    } catch (error) {
      lastResult = error instanceof Error ? error.message : String(error)
    }
    await sleep(50)
  }
  throw new CommandError(
    `${address} did not answer within ${readyTimeoutMs / 1000} s (${lastResult}): see the log above`,
  )
}

/** Uses the HTTP client that the servers load anyway. Loading `fetch` would take another 40 ms. */
const fetchStatus = (address: string, stopping: AbortSignal): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(5000)])
    get(address, { agent: false, signal }, reply => {
      reply.once('end', () => resolve(reply.statusCode)).once('error', reject)
      reply.resume()
    }).once('error', reject)
  })

/** npm forwards a Ctrl-C that the terminal has sent to this process already. Within this time, both count as one signal. */
const sameSignalMs = 300

const listenForStop = (): Promise<void> =>
  new Promise(resolve => {
    let firstMs: number | undefined
    const stop = () => {
      if (firstMs !== undefined && Date.now() - firstMs > sameSignalMs) process.exit(1)
      firstMs ??= Date.now()
      resolve()
    }
    process.on('SIGTERM', stop)
    process.on('SIGINT', stop)
  })

const closeInTime = async (running: { close: () => Promise<void> }, requestsMs: number): Promise<void> => {
  setTimeout(() => {
    note('the servers did not stop in time, so the process ended')
    process.exit(1)
  }, requestsMs + closeTimeoutMs).unref()
  await running.close()
}
