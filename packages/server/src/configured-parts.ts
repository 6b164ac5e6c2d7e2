/** Opens the parts of a server from its configuration: storage, engine, telemetry and listeners. */
import { availableParallelism } from 'node:os'
import { dirname } from 'node:path'
import { type Config, loopbackOrigin } from '#config/config'
import type { Engine } from '#engines/engine'
import { openEngine } from '#engines/open'
import type { GenerationVersions } from '#engines/opensearch/versions'
import { type ListeningServer, listen } from '#http/server'
import { openStorage, type Storage } from '#storage/db'
import { createDocumentMarks, type DocumentMarks } from '#storage/document-marks'
import { createEngineVersions } from '#storage/engine-versions'
import type { Health } from '#telemetry/health'
import { fitOpenCollections, readProcessLimits } from '#telemetry/process-limits'
import { startTelemetry, type Telemetry } from '#telemetry/telemetry'
import type { Listening } from './parts.ts'
import { DataFolderError, dataFolder, makeFolders, UsageError } from './startup/data-folder.ts'

/** `diskReserve`: see {@link openStorage}. */
export const openConfiguredStorage = async (
  { storage }: Config,
  telemetry?: Telemetry,
  diskReserve?: 'keep' | 'watch',
): Promise<Storage> => {
  if ('file' in storage) await makeFolders(dirname(storage.file))
  return openStorage(storage, { onStatement: telemetry?.traceStatement }, diskReserve)
}

/** A search may wait for the disk, so more than one thread helps on one core too. */
const searchThreadsMin = 2

export const openConfiguredEngine = (
  config: Config,
  versions: GenerationVersions,
  marks?: DocumentMarks,
  onAway?: (error: Error) => void,
): Promise<Engine> => {
  const { data, engine, engineUser, enginePassword, engineCa, enginePrefix } = config
  if (engine === 'embedded')
    return openEngine({
      kind: 'embedded',
      dataDir: dataFolder(data).engine,
      openMax: fitOpenCollections(config.openCollections, readProcessLimits()).openMax,
      threads: Math.max(searchThreadsMin, availableParallelism() - 1),
      sharedBy: config.workers,
      ...(marks && { marks }),
    })
  const openSearchSettings = {
    kind: 'opensearch' as const,
    nodes: engine.nodes,
    username: engineUser,
    password: enginePassword,
    caFile: engineCa,
    prefix: enginePrefix,
    shards: config.engineShards,
    replicas: config.engineReplicas,
    versions,
  }
  return openEngine(openSearchSettings, onAway)
}

export const startConfiguredTelemetry = async (
  config: Config,
  version: string,
  health: Health,
): Promise<Telemetry> => {
  const { metricsHost, metricsPort } = config
  const started = startTelemetry({ ...config, version }, health)
  return started.catch(cause => {
    throw metricsPort === 'off' ? cause : portUnavailable(metricsHost, metricsPort, 'metrics-port', cause)
  })
}

export const listenAt = (
  config: Config,
  option: 'port' | 'auth-port',
  health: Health,
  sharing?: 'further',
): Promise<ListeningServer> => {
  const { host, workers } = config
  const port = option === 'port' ? config.port : config.authPort
  const service = option === 'port' ? 'query' : 'authorization'
  const isFirst = workers > 1 && service === 'query'
  const shared = sharing ?? (isFirst ? 'first' : undefined)
  return listen(host, port, config.shutdownSeconds * 1000, health, service, shared).catch(cause => {
    throw portUnavailable(host, port, option, cause)
  })
}

const portUnavailable = (host: string, port: number, option: string, cause: NodeJS.ErrnoException): Error => {
  const hostOption = option === 'metrics-port' ? '--metrics-host' : '--host'
  if (cause.code === 'EADDRNOTAVAIL' || cause.code === 'ENOTFOUND')
    return new UsageError(
      `${hostOption}: ${host} is not an address of this machine; use 127.0.0.1 for this machine only, or 0.0.0.0 for all its addresses`,
      { cause },
    )
  const reason = cause.code === 'EADDRINUSE' ? 'is in use' : 'cannot be listened on'
  return new DataFolderError(
    `port ${port} of ${host} ${reason}: choose another with --${option}, or 0 for any free one`,
    { cause },
  )
}

/** Opens the engine. An authorization server starts without it. */
export const openDocuments = async (config: Config, storage: Storage, telemetry: Telemetry) => {
  const engineFailures: string[] = []
  const limitWarnings =
    config.engine === 'embedded'
      ? fitOpenCollections(config.openCollections, readProcessLimits()).warnings
      : []
  // A query service needs the engine, so it does not start without it.
  const onAway =
    config.only === 'authorization' ? (error: Error) => void engineFailures.push(error.message) : undefined
  const engine = telemetry.instrument(
    await openConfiguredEngine(config, createEngineVersions(storage), createDocumentMarks(storage), onAway),
  )
  return { engine, engineFailures, limitWarnings }
}

/** Listens on the ports of the services that this process runs. */
export const openListeners = async (
  config: Config,
  health: Health,
  push: (close: () => unknown) => void,
): Promise<Listening> => {
  const query = config.only === 'authorization' ? undefined : await listenAt(config, 'port', health)
  if (query) push(() => query.close())
  const authorization = config.only === 'query' ? undefined : await listenAt(config, 'auth-port', health)
  if (authorization) push(() => authorization.close())
  return { query, authorization }
}

export interface ServiceOrigins {
  baseUrl: string
  authUrl: string
}

export const chooseUrls = (config: Config, { query, authorization }: Listening): ServiceOrigins => ({
  baseUrl: config.baseUrl ?? loopbackOrigin(config.host, query?.port ?? config.port),
  authUrl: config.authUrl ?? loopbackOrigin(config.host, authorization?.port ?? config.authPort),
})
