/** The servers in this process: started, asked until they answer, and stopped. */
import { get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '@querent/server/config'
import type { RunningServer } from '@querent/server/main'
import { CommandError } from '#command-line/failure'
import { note } from '#terminal/output'

export interface Servers extends RunningServer {
  /** Resolves at SIGTERM or SIGINT, which no longer end the process by themselves. A second signal ends it at once. */
  stopRequested: Promise<void>
  /** Whether the servers must end: at a signal, or because another server shut this one out. */
  isStopping: () => boolean
  /** Lets requests in flight finish, for a while; cuts the rest. */
  close(): Promise<void>
}

const readyTimeoutMs = 120_000
/** Beyond what running requests may take: for the engine and storage to close. */
const closeTimeoutMs = 20_000

/**
 * Starts the servers and waits until their metadata documents answer, or until they must stop: then `isStopping()` is true. Throws what
 * keeps them from starting.
 */
export const startServers = async (config: Config): Promise<Servers> => {
  const { start } = await import('@querent/server/main')
  // From here on: whoever sees the ready line may send the signal in the same moment.
  const stopRequested = listenForStop()
  const running = await start(config)
  const ending = new AbortController()
  const ended = Promise.race([stopRequested, running.lockLost]).then(() => ending.abort())
  const servers = {
    ...running,
    stopRequested,
    isStopping: () => ending.signal.aborted,
    close: () => closeInTime(running, (config.drainSeconds + config.shutdownSeconds) * 1000),
  }
  const documents = [
    ...(config.only === 'authorization' ? [] : [`${servers.baseUrl}/.well-known/oauth-protected-resource`]),
    ...(config.only === 'query' ? [] : [`${servers.authUrl}/.well-known/oauth-authorization-server`]),
  ]
  try {
    // A public address may lead through a proxy that is not up yet, or that this machine cannot reach.
    const answered = documents.filter(isLocal).map(address => untilAnswered(address, ending.signal))
    await Promise.race([Promise.all(answered), ended])
  } catch (error) {
    await servers.close()
    throw error
  }
  return servers
}

const isLocal = (address: string): boolean => address.startsWith('http://')

/** Resolves when the address answers, and when `ending` aborts. */
const untilAnswered = async (address: string, ending: AbortSignal): Promise<void> => {
  const giveUpAtMs = Date.now() + readyTimeoutMs
  let found = 'nothing'
  while (Date.now() < giveUpAtMs) {
    if (ending.aborted) return
    try {
      const status = await statusOf(address, ending)
      if (status === 200) return
      found = `status ${status}`
    } catch (error) {
      found = error instanceof Error ? error.message : String(error)
    }
    await sleep(50)
  }
  throw new CommandError(
    `${address} did not answer within ${readyTimeoutMs / 1000} s (${found}): see the log above`,
  )
}

/** By the HTTP client that the servers have loaded anyway: `fetch` would be another, of 40 ms. */
const statusOf = (address: string, ending: AbortSignal): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const signal = AbortSignal.any([ending, AbortSignal.timeout(5000)])
    get(address, { agent: false, signal }, reply => {
      reply.once('end', () => resolve(reply.statusCode)).once('error', reject)
      reply.resume()
    }).once('error', reject)
  })

/** npm passes a Ctrl-C on that reached us from the terminal already: so soon, it is the same one. */
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
    note('the servers did not stop in time, and were ended')
    process.exit(1)
  }, requestsMs + closeTimeoutMs).unref()
  await running.close()
}
