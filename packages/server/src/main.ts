/** Creates and restores data folders, and starts the servers: opens storage and engine, listens, shuts down. */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { MissingDocuments } from '@querent/contract/manage'
import { BackupError, damagedBackup } from '#backup/format'
import { checkBackup, readRowBatches, resolveBackupKey, restoreDocuments } from '#backup/read'
import { boundOrigin, type Config, isDataExternal, listeningOrigin } from '#config/config'
import { versionsInMemory } from '#engines/opensearch/versions'
import type { LogStream } from '#http/server'
import { openOperatorCredential } from '#manage/operator-credential'
import { firstOperatorLink, refuseWeakPassword } from '#manage/users'
import { allocateMinuteCounter, createSharedMinuteCounter } from '#memory/shared-minute-counter'
import { countedKeysMax } from '#query/limits'
import type { Storage } from '#storage/db'
import { runEssential } from '#storage/disk-reserve'
import type { Locks } from '#storage/locks'
import { fillStorage, inspectStorage, isEmptyStorage } from '#storage/offline'
import { prune } from '#storage/prune'
import { openThreadLocks } from '#storage/thread-locks'
import { createUser } from '#storage/users'
import { hashPassword } from './accounts/password-hash.ts'
import { openServices } from './app.ts'
import {
  chooseUrls,
  openConfiguredEngine,
  openConfiguredStorage,
  openDocuments,
  openListeners,
  type ServiceOrigins,
  startConfiguredTelemetry,
} from './configured-parts.ts'
import { writeFirstKeys } from './keys/keyring.ts'
import { createClosers, type Listening, openParts } from './parts.ts'
import { startQueryThreads } from './query-threads.ts'
import {
  createOperatorFile,
  DataFolderError,
  dataFolder,
  finishRestore,
  isHalfRestored,
  lockDataFolder,
  makeDataFolder,
  makeEmptyFolder,
  makeFolderForRestore,
  makeFolders,
  readKey,
  refuseHalfRestored,
  refuseMovedDocuments,
  retireOperatorFile,
  type Undo,
  writeKey,
} from './startup/data-folder.ts'
import { collectGarbageWhenIdle } from './startup/idle-gc.ts'
import { warnOfEmailClashes, warnOfUnreadableSecrets } from './startup/storage-warnings.ts'
import { RowRefusedError } from './storage/dump.ts'
import { openHealth } from './telemetry/health.ts'
import { logStorage } from './telemetry/request-log.ts'

export interface RunningServer {
  /** Without a trailing slash, like `authUrl`. */
  baseUrl: string
  authUrl: string
  /** Port of the server; undefined if this process does not run it. */
  port: number | undefined
  authPort: number | undefined
  /** Set while no operator has a password: the link where the first operator chooses one. */
  firstOperator: { email: string; url: string; expiresAt: string } | undefined
  /** Address of the metrics; undefined if they are off. */
  metricsUrl: string | undefined
  /** Resolves when the server must stop because another one has taken its exclusive lock. The error is one line for the operator. */
  lockLost: Promise<Error>
  /** Fails /readyz, keeps serving for `drainSeconds`, then stops accepting requests and waits for running ones. */
  close(): Promise<void>
}

const pruneEveryMs = 10 * 60 * 1000

/**
 * Creates a data folder with its first operator, and returns a function that removes it. Throws an error with one line for the operator,
 * with status 400 for a password that is easy to guess; then it leaves nothing behind.
 */
export const initDataFolder = async (
  config: Config,
  admin: { email: string; password?: string },
): Promise<Undo> => {
  restrictUmask()
  const { email, password } = admin
  if (password !== undefined)
    await refuseWeakPassword(password, {
      member: 'password',
      rules: { lengthMin: config.passwordLengthMin, personal: [email] },
    })
  const passwordHash = password === undefined ? undefined : await hashPassword(password)
  const undo = await (config.key === undefined ? makeDataFolder : makeEmptyFolder)(config.data)
  try {
    await requireUnusedStorage(config)
    const storage = await openConfiguredStorage(config)
    try {
      const secretKey = await readKey(config.data, config.key)
      const { accessTokenAlgorithm } = config
      // One transaction: after a failure, leftover keys would block the next attempt, because their encryption key is gone.
      await writeFirstKeys({ storage, secretKey, accessTokenAlgorithm }, writer =>
        createUser(writer, {
          email,
          operator: true,
          emailVerified: true,
          ...(passwordHash === undefined ? {} : { passwordHash }),
        }),
      )
    } finally {
      await storage.close()
    }
  } catch (error) {
    await undo()
    throw error
  }
  return undo
}

/** Content of a restored backup. */
export interface RestoreSummary {
  /** RFC 3339, UTC. */
  createdAt: string
  users: number
  workspaces: number
  /** Those of live generations. */
  documents: number
  /** Those of generations that are earlier, or staged. */
  documentsNotLive: number
  /** Documents that the backup lacks. */
  missing: MissingDocuments[]
}

/**
 * Creates a data folder and fills an empty storage from a backup, after checking the whole backup. Throws an error with one line for the
 * operator; then it leaves nothing behind.
 */
export const restoreDataFolder = async (config: Config, file: string): Promise<RestoreSummary> => {
  restrictUmask()
  const { data, storage } = config
  try {
    const backup = await checkBackup(file)
    const configuredKey = config.key === undefined ? undefined : Buffer.from(config.key, 'base64')
    const key = resolveBackupKey(backup, configuredKey)
    await finishRestoreIfComplete(config)
    const { undo, finish } = await makeFolderForRestore(data)
    try {
      if (!(await isUnusedStorage(storage))) throw storageNotEmpty(config)
      const engine = await openConfiguredEngine(config, versionsInMemory())
      try {
        await restoreDocuments(engine, backup)
      } finally {
        await engine.close()
      }
      if (configuredKey === undefined) await writeKey(data, key)
      if ('file' in storage) await makeFolders(dirname(storage.file))
      // The storage comes last, in one transaction: no server starts on a storage without an operator.
      await fillStorage(storage, backup.header.migration, readRowBatches(backup), finish)
    } catch (error) {
      await undo()
      throw error instanceof RowRefusedError ? damagedBackup(error.message, error) : error
    }
    const { header, end, users, workspaces, documents, documentsNotLive } = backup
    const missing = (end.missing ?? []).map(({ id, ...gap }) => gap)
    return { createdAt: header.createdAt, users, workspaces, documents, documentsNotLive, missing }
  } catch (error) {
    throw error instanceof BackupError
      ? new BackupError(`${file}: ${error.message}`, { cause: error })
      : error
  }
}

/** Whether there are no tables, or only those of a start or a restore that was killed. */
const isUnusedStorage = async (storage: Config['storage']): Promise<boolean> =>
  (await isEmptyStorage(storage)) || (await inspectStorage(storage)) === 'nobody'

/** The storage is filled last, so a restore that was killed after that is complete. */
const finishRestoreIfComplete = async ({ data, storage }: Config): Promise<void> => {
  if (isHalfRestored(data) && (await inspectStorage(storage)) === 'used') await finishRestore(data)
}

/** Adding a first operator to a storage with people would let anyone take over the service. */
const requireUnusedStorage = async ({ storage }: Config): Promise<void> => {
  const content = await inspectStorage(storage)
  if (content === 'nothing' || content === 'nobody') return
  throw new DataFolderError(
    content === 'else'
      ? 'the database of --storage is not empty and not a storage of Querent: give an empty one'
      : "the storage of --storage has people already: to add a node, start 'querent serve' with the same --storage and QUERENT_KEY; for a new service give an empty database",
  )
}

/** Requires an operator in the storage, before any table is created there. */
export const requireInitialized = async ({ data, storage }: Config): Promise<void> => {
  refuseMovedStorage(data, storage)
  if ((await inspectStorage(storage)) === 'used') return
  throw new DataFolderError(
    'connection' in storage
      ? `the storage has no operator: run 'querent init --data ${data} --admin EMAIL' with the same --storage and QUERENT_KEY`
      : `there are no people in ${storage.file}: set --storage or QUERENT_STORAGE to the storage of ${data}, or create one with 'querent init'`,
  )
}

const refuseMovedStorage = (data: string, storage: Config['storage']): void => {
  const { storageFile, movedFile } = dataFolder(data)
  if ('file' in storage && storage.file === storageFile && !existsSync(storageFile) && existsSync(movedFile))
    throw new DataFolderError(
      `the storage of ${data} was moved to PostgreSQL: set --storage or QUERENT_STORAGE to that database (to go back, rename ${movedFile} to querent.db)`,
    )
}

export const storageNotEmpty = ({ storage }: Config): DataFolderError =>
  new DataFolderError(
    'file' in storage
      ? `the storage ${storage.file} already exists: choose another with --storage`
      : 'the database of --storage is not empty: give an empty one',
  )

/** Makes new files readable for this user only, because the databases contain password hashes and search queries. */
export const restrictUmask = (): void => {
  process.umask(0o077)
}

/**
 * Claims the engine in the storage, and returns the locks that nodes with a shared engine need. Only one process may use the embedded
 * engine: throws {@link DataFolderError} if there is a conflicting one.
 */
const claimEngineLocks = async (
  { engine, workers }: Config,
  { locks }: Storage,
  onLockLost: (error: Error) => void,
  threadLocks: Locks,
): Promise<Locks | undefined> => {
  const isShared = engine !== 'embedded'
  const conflict = new DataFolderError(
    isShared
      ? 'a server with the embedded engine uses this storage: stop it, or start it with the same --engine, because all nodes on one storage share the documents'
      : 'another server uses this storage, and the embedded engine works for one server only: stop the other server, or start all of them with the same --engine, the addresses of OpenSearch',
  )
  if (locks && !(await locks.keep('engine', isShared ? 'shared' : 'exclusive', () => onLockLost(conflict))))
    throw conflict
  return (isShared ? locks : undefined) ?? (workers > 1 ? threadLocks : undefined)
}

/** Reads the version of this package. */
const readVersion = async (): Promise<string> => {
  const manifest: unknown = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'))
  return String(Object(manifest).version)
}

export interface StartOptions {
  /** Also serves the search page of `querent demo`. */
  isDemo?: boolean
  /** Default: standard error, because standard output belongs to the command that runs the server. */
  logStream?: LogStream
}

/** Starts the servers and resolves when they respond. Throws an error with one line for the operator. */
export const start = async (
  config: Config,
  { isDemo = false, logStream = process.stderr }: StartOptions = {},
): Promise<RunningServer> => {
  const secretKey = await prepareData(config)
  const { push, close } = createClosers()
  push(lockDataFolder(config.data))
  try {
    await retireOperatorFile(config.data)
    const health = openHealth(config.only, config.whenCutOff)
    push(() => health.close())
    const version = await readVersion()
    const telemetry = await startConfiguredTelemetry(config, version, health)
    push(() => telemetry.close())
    await requireInitialized(config)
    if (config.engine === 'embedded') refuseMovedDocuments(config.data)
    const storage = await openConfiguredStorage(config, telemetry, 'keep')
    push(() => storage.close())
    const { promise: lockLost, resolve: onLockLost } = Promise.withResolvers<Error>()
    const threadLocks = openThreadLocks()
    const locks = await claimEngineLocks(config, storage, onLockLost, threadLocks.locks)
    const { engine, engineFailures, limitWarnings } = await openDocuments(config, storage, telemetry)
    push(() => engine.close())
    const listening = await openListeners(config, health, push)
    const { query, authorization } = listening
    const { baseUrl, authUrl } = chooseUrls(config, listening)
    const ownKey = config.key === undefined ? secretKey : undefined
    const workers = query ? config.workers - 1 : 0
    const requestMemory = workers > 0 ? allocateMinuteCounter(countedKeysMax) : undefined
    const withReserve = storage.withReserve ?? (work => work())
    const settings = {
      ...config,
      ...{ baseUrl, authUrl, isDemo, logStream, limitWarnings },
      ...(requestMemory && { requestCounter: createSharedMinuteCounter(requestMemory) }),
    }
    const resources = {
      ...{ storage, engine, secretKey, locks, ownKey, telemetry, version },
      boundOrigin: (port: number) => boundOrigin(config.host, port),
      isFurtherThread: false,
    }
    const parts = await withReserve(() => openParts(resources, listening, settings))
    push(() => parts.close())
    const services = await withReserve(() => openServices(parts, listening, settings))
    push(() => services.close())
    const threads =
      query && requestMemory
        ? await startQueryThreads(workers, {
            settings: { config: { ...config, baseUrl, authUrl, port: query.port }, version, requestMemory },
            ...{ threadLocks, telemetry, usageLog: parts.usageLog, log: services.log },
          })
        : undefined
    if (threads) push(threads.close)
    const firstOperator =
      authorization && (await firstOperatorLink(storage, authUrl, parts.keyring.derive('first operator')))
    push(await offerOperatorFile(config, storage, { baseUrl, authUrl }, listening))
    const pruner = setInterval(() => {
      void parts.reports.run('pruning', () => prune(storage))
    }, pruneEveryMs).unref()
    push(() => clearInterval(pruner))
    push(collectGarbageWhenIdle())
    health.begin({ ...parts, engine })
    const { log } = services
    push(logStorage(storage, log))
    const { metricsUrl } = telemetry
    for (const warning of limitWarnings) log.warn(warning)
    for (const reason of engineFailures)
      log.warn({ reason }, 'the engine cannot be reached: requests that need documents get 503 until it can')
    await warnOfEmailClashes(storage, log)
    const addresses = {
      ...(query && { baseUrl }),
      ...(authorization && { authUrl }),
      ...(metricsUrl && { metricsUrl }),
    }
    log.info({ version, node: process.version, ...addresses }, 'ready')
    // In the background, because there may be many. `doctor` counts them again.
    if (authorization) warnOfUnreadableSecrets(storage, parts.keyring, log).catch(() => {})
    const drain = async () => {
      log.info({ drainSeconds: config.drainSeconds, shutdownSeconds: config.shutdownSeconds }, 'stopping')
      health.stop()
      threads?.stop()
      await wait(config.drainSeconds * 1000)
      await close()
      log.info('stopped')
    }
    const ports = { port: query?.port, authPort: authorization?.port }
    return { baseUrl, authUrl, ...ports, firstOperator, metricsUrl, lockLost, close: drain }
  } catch (error) {
    await close()
    throw error
  }
}

/** Makes the data folder usable, and returns the server's key. */
const prepareData = async (config: Config): Promise<Buffer> => {
  restrictUmask()
  if (isDataExternal(config)) await makeFolders(config.data)
  await finishRestoreIfComplete(config)
  refuseHalfRestored(config.data)
  return readKey(config.data, config.key, 'connection' in config.storage)
}

/** Writes the file by which commands on this machine find the server and act as an operator. Returns what removes it. */
const offerOperatorFile = async (
  config: Config,
  storage: Storage,
  urls: ServiceOrigins,
  { query, authorization }: Listening,
): Promise<() => unknown> => {
  const file = createOperatorFile(config.data, {
    ...urls,
    listening: {
      ...(query ? { baseUrl: listeningOrigin(config.host, query.port) } : {}),
      ...(authorization ? { authUrl: listeningOrigin(config.host, authorization.port) } : {}),
    },
  })
  if (!authorization) {
    await file.write()
    return () => file.remove()
  }
  // Without it, nobody could run commands on a server with a full disk.
  const withReserve = storage.withReserve ?? (work => work())
  const credential = await withReserve(() => runEssential(() => openOperatorCredential({ storage, file })))
  return () => credential.close()
}
