/** Starts the further threads that answer queries (`--workers`), and replaces one that fails. */
import { setTimeout as wait } from 'node:timers/promises'
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '#config/config'
import type { ThreadLocks } from '#storage/thread-locks'
import type { ThreadMetrics } from '#telemetry/metrics'
import type { Telemetry } from '#telemetry/telemetry'
import type { LiveQueries, LiveRequests } from '#usage/live-requests'

export interface QueryThreadSettings {
  /** With the actual port and addresses. */
  config: Config & { baseUrl: string; authUrl: string }
  version: string
  /** Memory of the request counter that all threads share. */
  requestMemory: SharedArrayBuffer
}

export interface QueryThreadData {
  settings: QueryThreadSettings
  lockPort: MessagePort
}

export type ToThread = { step: 'metrics'; request: number } | { step: 'stop' } | { step: 'close' }
export type FromThread =
  | { step: 'ready' }
  | { step: 'queries'; queries: LiveQueries }
  | { step: 'metrics'; request: number; metrics: ThreadMetrics | undefined }

interface Dependencies {
  settings: QueryThreadSettings
  threadLocks: ThreadLocks
  telemetry: Pick<Telemetry, 'addThread'>
  usageLog: { live: Pick<LiveRequests, 'add'> }
  log: Pick<FastifyBaseLogger, 'error'>
}

export interface QueryThreads {
  /** Fails their /readyz. */
  stop(): void
  /** Waits for running requests, then ends the threads. */
  close(): Promise<void>
}

const restartMs = 1_000
const metricsMsMax = 2_000

/** Resolves when all threads answer. Throws if one cannot be started. */
export const startQueryThreads = async (count: number, dependencies: Dependencies): Promise<QueryThreads> => {
  const started = await Promise.allSettled(Array.from({ length: count }, () => startThread(dependencies)))
  const threads = started.flatMap(result => (result.status === 'fulfilled' ? [result.value] : []))
  const failure = started.find(result => result.status === 'rejected')
  if (failure) {
    await Promise.all(threads.map(thread => thread.close()))
    throw failure.reason
  }
  return {
    stop: () => threads.forEach(thread => void thread.send({ step: 'stop' })),
    close: async () => void (await Promise.all(threads.map(thread => thread.close()))),
  }
}

interface Running {
  worker: Worker
  /** Resolves when the thread has ended. */
  ended: Promise<void>
}

/** Keeps one thread running. */
const startThread = async ({ settings, threadLocks, telemetry, usageLog, log }: Dependencies) => {
  let isClosing = false
  let requests = 0
  let metrics: ThreadMetrics = []
  const waiting = new Map<number, (metrics: ThreadMetrics | undefined) => void>()
  const run = async (): Promise<Running> => {
    const { port1: lockPort, port2 } = new MessageChannel()
    const endLocks = threadLocks.serve(port2)
    // The imports of the package resolve to the built file in a built package.
    const worker = new Worker(new URL(import.meta.resolve('#query-thread')), {
      workerData: { settings, lockPort } satisfies QueryThreadData,
      transferList: [lockPort],
    })
    const ready = Promise.withResolvers<void>()
    const ending = Promise.withResolvers<void>()
    worker.on('message', (message: FromThread) => {
      if (message.step === 'ready') ready.resolve()
      if (message.step === 'queries') usageLog.live.add(message.queries)
      if (message.step === 'metrics') waiting.get(message.request)?.(message.metrics)
    })
    worker.on('error', ready.reject)
    worker.on('exit', () => {
      ready.reject(new Error('a thread that answers queries ended'))
      endLocks()
      port2.close()
      ending.resolve()
    })
    await ready.promise.catch(async error => {
      await worker.terminate()
      throw error
    })
    worker.removeListener('error', ready.reject)
    worker.on('error', err => log.error({ err }, 'a thread that answers queries failed; another one starts'))
    return { worker, ended: ending.promise }
  }
  let running = await run()
  /** The requests of a failed thread are lost; other threads answer meanwhile. */
  const keepRunning = async (): Promise<void> => {
    for (;;) {
      await running.ended
      await wait(restartMs)
      if (isClosing) return
      try {
        running = await run()
      } catch (err) {
        log.error({ err }, 'a thread that answers queries cannot start')
      }
    }
  }
  void keepRunning()
  const send = (message: ToThread) => running.worker.postMessage(message)
  telemetry.addThread(async () => {
    const request = ++requests
    const { promise, resolve } = Promise.withResolvers<ThreadMetrics | undefined>()
    waiting.set(request, resolve)
    send({ step: 'metrics', request })
    const answer = await Promise.race([promise, wait(metricsMsMax, undefined, { ref: false })])
    waiting.delete(request)
    // Counters must not fall while a thread is busy.
    metrics = answer ?? metrics
    return metrics
  })
  return {
    send,
    async close() {
      isClosing = true
      send({ step: 'close' })
      await running.ended
    },
  }
}
