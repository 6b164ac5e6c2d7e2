/** Opens the parts of a server, in one place for the main thread, further threads, tests and benches. */
import { getHeapStatistics } from 'node:v8'
import type { FastifyBaseLogger } from 'fastify'
import { type Backups, openBackups } from '#backup/write'
import { type Engine, EngineError } from '#engines/engine'
import { refuseLostDocuments } from '#engines/lost-documents'
import { Problem } from '#errors'
import { type Origins, openOrigins } from '#http/origins'
import { createReplySizes, type OpenReplySize } from '#http/reply-size'
import type { ListeningServer } from '#http/server'
import { readNodeChecks } from '#manage/diagnosis'
import { describeListening, type NodeReport, noNodeReport, openNodeReport } from '#manage/node-report'
import { createWorkReports, type WorkReports, type WorkState } from '#memory/work-reports'
import { describeAgent } from '#oauth/sessions/session-device'
import { createLeakTests, type LeakTests } from '#query/leak-tests'
import type { Storage } from '#storage/db'
import { type Directory, openDirectory } from '#storage/directory'
import type { Locks } from '#storage/locks'
import type { AppSettings } from './app-settings.ts'
import { type Bearer, openBearer } from './authz/bearer.ts'
import { countRefusals, openRefusalLog, type RefusalLog } from './authz/refusal-log.ts'
import { openSignInLog, type SignInLog } from './authz/sign-in-log.ts'
import { createUsedProofs } from './authz/used-proofs.ts'
import type { Collections } from './collections/collections.ts'
import { openAtStartMax, openCollections } from './collections/generations.ts'
import { computeGraceMs } from './collections/grace-period.ts'
import type { Embedding } from './embedding/embedding.ts'
import { type OpenEmbedding, openEmbedding } from './embedding/open-embedding.ts'
import { type KeyRotation, openKeyRotation } from './keys/key-rotation.ts'
import { type Keyring, openKeyring } from './keys/keyring.ts'
import { type Counters, createCounters } from './telemetry/counters.ts'
import type { Telemetry } from './telemetry/telemetry.ts'
import { type Activity, openActivity } from './usage/activity.ts'
import { openUsageLog, type UsageLog } from './usage/usage-log.ts'

/** Share of V8's heap limit for the directory. V8 lowers the limit in containers with little memory. */
const directoryHeapShare = 1 / 2

export interface AccessSettings
  extends Pick<
    AppSettings,
    | 'baseUrl'
    | 'authUrl'
    | 'pathVersions'
    | 'accessTokenAlgorithm'
    | 'staleSeconds'
    | 'signInLogDays'
    | 'workers'
  > {
  /** Encrypts the keys in the storage. */
  secretKey: Buffer
  keyRotationDays: number | 'off'
}

/** The parts that know who sends a request, and record it. */
export interface AccessParts {
  storage: Storage
  keyring: Keyring
  keyRotation: KeyRotation
  directory: Directory
  bearer: Bearer
  counts: Counters
  /** Counts and announces failures of background work. */
  reports: WorkReports
  usageLog: UsageLog
  refusalLog: RefusalLog
  signInLog: SignInLog
  activity: Activity
  openReplySize: OpenReplySize
  /** Origins of registered applications. */
  origins: Origins
  /** Without a trailing slash, like `authUrl`. */
  baseUrl: string
  authUrl: string
  pathVersions: AppSettings['pathVersions']
  accessTokenAlgorithm: AppSettings['accessTokenAlgorithm']
  /** Closes what was opened here. The caller closes the storage. */
  close(): Promise<void>
}

export const openAccessParts = async (storage: Storage, settings: AccessSettings): Promise<AccessParts> => {
  const { secretKey, accessTokenAlgorithm, baseUrl, authUrl, pathVersions } = settings
  const { push, close } = createClosers()
  try {
    const keyring = await openKeyring({ storage, secretKey, accessTokenAlgorithm })
    push(() => keyring.close())
    const counts = createCounters()
    const reports = createWorkReports(counts.backgroundFailures)
    const days = settings.keyRotationDays
    const keyRotation = openKeyRotation({
      ...{ storage, secretKey, accessTokenAlgorithm, keyring, reports, days },
    })
    push(() => keyRotation.close())
    const directory = openDirectory(
      storage,
      settings.staleSeconds * 1000,
      getHeapStatistics().heap_size_limit * directoryHeapShare,
    )
    push(() => directory.close())
    const origins = await openOrigins(storage)
    push(() => origins.close())
    const usageLog = openUsageLog(storage, keyring.derive('query log'))
    push(() => usageLog.close())
    const refusalLog = countRefusals(openRefusalLog(storage), counts, usageLog)
    push(() => refusalLog.close())
    const signInLog = openSignInLog({ storage, days: settings.signInLogDays, describeAgent })
    push(() => signInLog.close())
    const activity = openActivity(storage)
    push(() => activity.close())
    const usedProofs = createUsedProofs(storage)
    const bearer = openBearer({ keyring, directory, usedProofs, baseUrl, authUrl, pathVersions })
    return {
      ...{ storage, keyring, keyRotation, directory, bearer, origins },
      ...{
        counts,
        reports,
        usageLog,
        refusalLog,
        signInLog,
        activity,
        openReplySize: createReplySizes(settings),
      },
      ...{ baseUrl, authUrl, pathVersions, accessTokenAlgorithm, close },
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Listeners of this process. Either may be undefined. */
export interface Listening {
  query: ListeningServer | undefined
  authorization: ListeningServer | undefined
}

/** Opened and closed by the caller. */
export interface Resources {
  storage: Storage
  engine: Engine
  secretKey: Buffer
  /** Undefined if no other node uses these documents. */
  locks: Locks | undefined
  /** Key of the server if it is in the data folder, so that backups include it. */
  ownKey: Buffer | undefined
  telemetry: Telemetry
  version: string
  /** Returns the origin of a port that the server listens on. */
  boundOrigin(port: number): string
  /** Whether another thread of this process reports the node, rotates the keys and makes vectors. */
  isFurtherThread: boolean
}

/** Everything that both services use. */
export interface Parts extends AccessParts, Pick<OpenEmbedding, 'embedders' | 'vectors'> {
  engine: Engine
  collections: Collections
  embedding: Embedding
  backups: Backups
  nodes: NodeReport
  telemetry: Telemetry
  leakTests: LeakTests
  /** Passes the log to the parts that write to it, and starts their work. */
  start: OpenEmbedding['start']
}

export const openParts = async (
  resources: Resources,
  listening: Listening,
  settings: AppSettings,
): Promise<Parts> => {
  const { storage, secretKey, locks, ownKey, telemetry, version, isFurtherThread } = resources
  const { engine, lostDocuments } = refuseLostDocuments(resources.engine)
  const { push, close } = createClosers()
  try {
    const access = await openAccessParts(storage, {
      ...settings,
      secretKey,
      keyRotationDays: isFurtherThread ? 'off' : settings.keyRotationDays,
    })
    push(access.close)
    const { keyring, reports } = access
    telemetry.setSources({ ...access, engine })
    const collections = await openCollections({
      storage,
      engine,
      lostDocuments,
      locks,
      reports,
      graceMs: computeGraceMs(settings),
      mayBeAway: listening.query === undefined,
      openAtStart: Math.min(openAtStartMax, settings.openCollections),
      checkPromotion: candidate => leakTests.checkPromotion(candidate),
    })
    push(() => collections.close())
    const { start, ...embedding } = openEmbedding({ storage, engine, collections, locks, reports, settings })
    push(() => embedding.close())
    const { vectors } = embedding
    const { queryTimeoutMs } = settings
    const generation = collections.resolve
    const leakTests = createLeakTests({ ...access, engine, vectors, generation, queryTimeoutMs })
    const description = { ...describeListening(listening, resources.boundOrigin), version }
    const { data, limitWarnings } = settings
    const readChecks = () =>
      readNodeChecks(storage, { ping: engine.ping, data, limitWarnings }, listening.authorization && settings)
    const nodes = isFurtherThread ? noNodeReport : openNodeReport(storage, description, readChecks)
    push(() => nodes.close())
    const backups = openBackups({ storage, engine, collections, keyring, ownKey })
    return {
      ...access,
      ...{ engine, collections, ...embedding, backups, nodes, telemetry, leakTests },
      start(log) {
        access.usageLog.onLoss = loss => log.warn(loss, 'these queries are missing in the usage figures')
        keyring.setLogger(log)
        backups.setLogger(log)
        access.keyRotation.onKeyChange(done =>
          log.info(done, 'kid' in done ? 'key withdrawn' : 'keys rotated'),
        )
        reports.onChange(state => logWorkState(log, state))
        if (!isFurtherThread) start(log)
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** An unreachable storage or engine has log lines of its own, with its cause. */
const isUnavailable = (error: unknown): boolean =>
  (error instanceof Problem || error instanceof EngineError) && error.code === 'unavailable'

/** Logs when background work starts to fail, and when it succeeds again. */
const logWorkState = (log: FastifyBaseLogger, { work, error }: WorkState): void => {
  if (error === undefined) log.info({ work }, 'background work succeeds again')
  else
    log[isUnavailable(error) ? 'warn' : 'error'](
      { work, err: error },
      'background work fails: the next round tries again',
    )
}

/** Closes in reverse order, because later parts depend on earlier ones. */
export const createClosers = () => {
  const closers: (() => unknown)[] = []
  return {
    push: (close: () => unknown): void => void closers.push(close),
    close: async (): Promise<void> => {
      for (const close of closers.reverse().splice(0)) await close()
    },
  }
}
