/** A further thread that answers queries (`--workers`). `query-threads.ts` starts it and talks to it. */
import { parentPort, workerData } from 'node:worker_threads'
import { boundOrigin } from '#config/config'
import { createSharedMinuteCounter } from '#memory/shared-minute-counter'
import { createDocumentMarks } from '#storage/document-marks'
import { createEngineVersions } from '#storage/engine-versions'
import type { Locks } from '#storage/locks'
import { connectThreadLocks } from '#storage/thread-locks'
import { openHealth } from '#telemetry/health'
import { startTelemetry, type Telemetry } from '#telemetry/telemetry'
import type { LiveRequests } from '#usage/live-requests'
import { openServices } from './app.ts'
import { listenAt, openConfiguredEngine, openConfiguredStorage } from './configured-parts.ts'
import { createClosers, openParts } from './parts.ts'
import type { FromThread, QueryThreadData, QueryThreadSettings, ToThread } from './query-threads.ts'
import { readKey } from './startup/data-folder.ts'

interface RunningQueryThread {
  readMetrics: Telemetry['readMetrics']
  live: Pick<LiveRequests, 'take'>
  /** Fails /readyz. */
  stop(): void
  /** Stops accepting requests and waits for running ones. */
  close(): Promise<void>
}

/** Starts the query service of a further thread, like a node that shares documents and storage with this one. */
const startQueryThread = async (
  { config, version, requestMemory }: QueryThreadSettings,
  threadLocks: Locks,
): Promise<RunningQueryThread> => {
  const { push, close } = createClosers()
  try {
    const secretKey = await readKey(config.data, config.key, 'connection' in config.storage)
    const health = openHealth('query', config.whenCutOff)
    push(() => health.close())
    const telemetry = await startTelemetry({ ...config, version, isMainThread: false }, health)
    push(() => telemetry.close())
    const storage = await openConfiguredStorage(config, telemetry, 'watch')
    push(() => storage.close())
    const engine = telemetry.instrument(
      await openConfiguredEngine(config, createEngineVersions(storage), createDocumentMarks(storage)),
    )
    push(() => engine.close())
    const query = await listenAt(config, 'port', health, 'further')
    push(() => query.close())
    const listening = { query, authorization: undefined }
    const settings = {
      ...config,
      logStream: process.stderr,
      limitWarnings: [],
      requestCounter: createSharedMinuteCounter(requestMemory),
    }
    const resources = {
      ...{ storage, engine, secretKey, telemetry, version },
      locks: (config.engine === 'embedded' ? undefined : storage.locks) ?? threadLocks,
      ownKey: undefined,
      boundOrigin: (port: number) => boundOrigin(config.host, port),
      isFurtherThread: true,
    }
    const parts = await openParts(resources, listening, settings)
    push(() => parts.close())
    const services = await openServices(parts, listening, settings)
    push(() => services.close())
    health.begin({ ...parts, engine })
    const { live } = parts.usageLog
    return { readMetrics: telemetry.readMetrics, live, stop: () => health.stop(), close }
  } catch (error) {
    await close()
    throw error
  }
}

// query-threads.ts passes this.
const { settings, lockPort } = workerData as QueryThreadData
const send = (message: FromThread) => parentPort?.postMessage(message)
const locks = connectThreadLocks(lockPort)
const thread = await startQueryThread(settings, locks)

/** How long the list of the latest queries may lack those of this thread. */
const reportEveryMs = 250
const reports = setInterval(() => {
  const queries = thread.live.take()
  if (queries.length > 0) send({ step: 'queries', queries })
}, reportEveryMs).unref()

parentPort?.on('message', async (message: ToThread) => {
  switch (message.step) {
    case 'metrics':
      send({ step: 'metrics', request: message.request, metrics: await thread.readMetrics() })
      return
    case 'stop':
      thread.stop()
      return
    case 'close':
      clearInterval(reports)
      await thread.close()
      await locks.close()
      parentPort?.close()
  }
})
send({ step: 'ready' })
