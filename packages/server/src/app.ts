/** All wiring: what answers which path, in which order. */
import type { RequestListener } from 'node:http'
import { getHeapStatistics } from 'node:v8'
import compress from '@fastify/compress'
import proxyAddress from '@fastify/proxy-addr'
import { contractVersion } from '@querent/contract/paths'
import type { FastifyBaseLogger } from 'fastify'
import { type Backups, openBackups } from '#backup/write'
import type { Collections } from '#documents/collections'
import { openAtStartMax, openCollections } from '#documents/generations'
import { documentPaths } from '#documents/openapi'
import { registerDocuments } from '#documents/route'
import type { Engine } from '#engines/engine'
import { logRebuilds } from '#engines/rebuild-log'
import { type Activity, openActivity } from '#http/activity'
import { type Bearer, openBearer } from '#http/bearer'
import { compressedTypes, encodings } from '#http/compression'
import { registerConsole } from '#http/console'
import { type Counts, countedRefusals, openCounts } from '#http/counts'
import type { KeyRotation } from '#http/key-rotation'
import type { Keyring } from '#http/keyring'
import { openMail } from '#http/mail'
import { noteAddress } from '#http/observation'
import { registerOpen } from '#http/open-documents'
import { type Origins, openOrigins } from '#http/origins'
import { hashPassword } from '#http/password'
import { openRefusalLog, type RefusalLog } from '#http/refusal-log'
import { registerResourceMetadata } from '#http/resource-metadata'
import { answerNotFound, type Listening, openApp } from '#http/server'
import type { Telemetry } from '#http/telemetry'
import { openUsageLog, type UsageLog } from '#http/usage-log'
import { registerManagement } from '#manage/register'
import { openInteractions } from '#oauth/interactions/interactions'
import { isOfBrowser } from '#oauth/page-replies'
import { openAuthorizationServer } from '#oauth/provider'
import { noSuchPath } from '#query/address'
import { serviceOpenApi } from '#query/openapi'
import { registerQueries, rewriteQueryUrl } from '#query/route'
import type { Storage } from '#storage/db'
import { type Directory, openDirectory } from '#storage/directory'
import type { Locks } from '#storage/locks'

/** Of the heap that V8 allows itself, which is less where a container has little memory; the rest is for everything else. */
const directoryHeapShare = 1 / 2

/** Addresses and limits; both URLs without a slash at the end. */
export interface AppSettings {
  baseUrl: string
  authUrl: string
  logLevel: string
  trustedProxy: string[]
  rateLimit: number | 'off'
  queriesAtOnce: number
  queryTimeoutMs: number
  staleSeconds: number
  openCollections: number
  accessTokenAlgorithm: 'ES256' | 'EdDSA'
  keyRotationDays: number | 'off'
  /** The data folder. */
  data: string
  tokenShortcut: 'on' | 'off'
  signInThrottle: number | 'off'
  smtpUrl: string | undefined
  mailFrom: string | undefined
}

/** What both services share. */
interface Shared {
  storage: Storage
  keyring: Keyring
  keyRotation: KeyRotation
  directory: Directory
  bearer: Bearer
  refusalLog: RefusalLog
  usageLog: UsageLog
  activity: Activity
  engine: Engine
  collections: Collections
  backups: Backups
  origins: Origins
  counts: Counts
  telemetry: Telemetry
}

export interface App {
  directory: Pick<Directory, 'isHeard'>
  log: FastifyBaseLogger
  /** Lets running requests finish, then closes what this module opened. */
  close(): Promise<void>
}

/** A node that cannot reach the storage asks what it knew for so long, and its last query may take its time. */
const graceMsOf = ({ staleSeconds, queryTimeoutMs }: AppSettings): number =>
  Math.max(graceMsLeast, staleSeconds * 1000 + queryTimeoutMs + hearsMs)
const graceMsLeast = 30_000
const hearsMs = 2000

/** Serves on the given listeners: queries and documents on one, tokens and management on the other; either may be absent. */
export const openServices = async (
  parts: {
    storage: Storage
    engine: Engine
    keyring: Keyring
    keyRotation: KeyRotation
    /** Undefined: no other node has these documents. */
    locks: Locks | undefined
    /** The server's key, where the data folder holds it. */
    ownKey: Buffer | undefined
    telemetry: Telemetry
  },
  listening: { query: Listening | undefined; authorization: Listening | undefined },
  settings: AppSettings,
): Promise<App> => {
  const { storage, engine, keyring, keyRotation, locks, ownKey, telemetry } = parts
  const { baseUrl, authUrl } = settings
  const directory = openDirectory(
    storage,
    settings.staleSeconds * 1000,
    getHeapStatistics().heap_size_limit * directoryHeapShare,
  )
  const bearer = openBearer({ keyring, directory, baseUrl, authUrl })
  const counts = openCounts()
  telemetry.read({ counts, storage, directory, bearer })
  const refusalLog = countedRefusals(openRefusalLog(storage), counts)
  const usageLog = openUsageLog(storage, keyring.derive('query log'))
  const activity = openActivity(storage)
  const collections = await openCollections({
    storage,
    engine,
    locks,
    graceMs: graceMsOf(settings),
    mayBeAway: listening.query === undefined,
    openAtStart: Math.min(openAtStartMax, settings.openCollections),
  })
  const origins = await openOrigins(storage)
  const shared: Shared = {
    storage,
    keyring,
    keyRotation,
    directory,
    bearer,
    refusalLog,
    usageLog,
    activity,
    engine,
    collections,
    backups: openBackups({ storage, engine, collections, keyring, ownKey }),
    origins,
    counts,
    telemetry,
  }
  const served = [
    listening.query && (await serveQueries(shared, listening.query, settings)),
    listening.authorization && (await serveAuthorization(shared, listening.authorization, settings)),
  ].filter(each => each !== undefined)
  const [{ log }] = served as [Served]
  keyring.report(log)
  keyRotation.onDone(done => log.info(done, 'kid' in done ? 'key withdrawn' : 'keys rotated'))
  return {
    directory,
    log,
    async close() {
      await Promise.all([listening.query?.close(), listening.authorization?.close()])
      await Promise.all(served.map(each => each.close()))
      await refusalLog.close()
      await usageLog.close()
      await activity.close()
      await collections.close()
      origins.close()
      directory.close()
    },
  }
}

/** One of the two services. */
interface Served {
  log: FastifyBaseLogger
  close(): Promise<unknown>
}

const serveQueries = async (shared: Shared, listening: Listening, settings: AppSettings): Promise<Served> => {
  const { storage, directory, bearer, refusalLog, usageLog, activity, engine, collections, origins } = shared
  const { counts, telemetry } = shared
  const { mixin } = telemetry
  const { app, listener } = openApp(listening, { ...settings, mixin, rewriteUrl: rewriteQueryUrl })
  const { baseUrl, authUrl } = settings
  logRebuilds(engine, app.log)
  app.setNotFoundHandler(answerNotFound(noSuchPath))
  await app.register(compress, {
    encodings,
    customTypes: compressedTypes,
    globalDecompression: false,
  })
  usageLog.onLoss = lost => app.log.warn(lost, 'these queries are missing in the usage figures')
  registerResourceMetadata(app, { baseUrl, authUrl })
  const described = serviceOpenApi({ baseUrl, authUrl }, documentPaths())
  registerOpen(app, `/${contractVersion}/openapi.json`, () => described)
  const isTrusted = proxyAddress.compile(settings.trustedProxy)
  const withQueries = registerQueries(app, {
    bearer,
    directory,
    refusalLog,
    usageLog,
    activity,
    origin: baseUrl,
    engine,
    generation: collections.answering,
    origins,
    authUrl,
    clientAddress: request => proxyAddress(request, isTrusted),
    queryTimeoutMs: settings.queryTimeoutMs,
    aMinute: settings.rateLimit,
    atOnce: settings.queriesAtOnce,
    counts,
  })
  await registerDocuments(app, {
    storage,
    directory,
    bearer,
    refusalLog,
    activity,
    engine,
    collections,
    origins,
    baseUrl,
    authUrl,
    counts,
  })
  await app.ready()
  const { logLevel } = settings
  listening.answerWith(telemetry.observed('query', app.log, logLevel, withQueries(listener())))
  return { log: app.log, close: () => app.close() }
}

const serveAuthorization = async (
  shared: Shared,
  listening: Listening,
  settings: AppSettings,
): Promise<Served> => {
  const { counts, telemetry } = shared
  const { app, listener } = openApp(listening, { ...settings, mixin: telemetry.mixin })
  const {
    storage,
    directory,
    keyring,
    keyRotation,
    bearer,
    refusalLog,
    usageLog,
    activity,
    engine,
    collections,
    backups,
    origins,
  } = shared
  const { baseUrl, authUrl, accessTokenAlgorithm, tokenShortcut, signInThrottle } = settings
  const mail = openMail(settings, app.log)
  const isTrusted = proxyAddress.compile(settings.trustedProxy)
  const authorization = await openAuthorizationServer({
    storage,
    directory,
    keyring,
    bearer,
    authUrl,
    baseUrl,
    accessTokenAlgorithm,
    tokenShortcut,
    log: app.log,
    origins,
    signInThrottle,
    clientAddress: request => proxyAddress(request, isTrusted),
    counts,
    interactions: asked => openInteractions(asked, { mail, signInThrottle }),
  })
  const answerUnknown = answerNotFound()
  app.setNotFoundHandler(async (request, reply) => {
    if (!isOfBrowser(request.raw)) return answerUnknown(request, reply)
    reply.hijack()
    authorization.handle(request.raw, reply.raw)
  })
  await registerConsole(app, { baseUrl })
  await registerManagement(app, {
    storage,
    directory,
    bearer,
    refusalLog,
    usageLog,
    activity,
    authUrl,
    baseUrl,
    collections,
    backups,
    diagnosed: {
      async live(workspaceId, collection, mayOpen) {
        const live = collections.live(workspaceId, collection)
        if (!live) return undefined
        if (engine.isOpened?.(live.id) === false && !mayOpen()) return 'unopened'
        await engine.whenOpened?.(live.id)
        return engine.info(live.id)
      },
      ping: engine.ping,
      data: settings.data,
      accessTokenAlgorithm,
      keyRotationDays: settings.keyRotationDays,
      canMail: mail.available,
    },
    hashPassword,
    keyRotation,
    mail,
    signInThrottle,
    clientAddress: request => request.ip,
    isTrustedProxy: address => isTrusted(address, 0),
  })
  await app.ready()
  const management = listener()
  // The library reads bodies itself, so its paths never reach Fastify.
  const answer: RequestListener = (request, response) => {
    const url = request.url ?? '/'
    const query = url.indexOf('?')
    const path = query < 0 ? url : url.slice(0, query)
    if (!authorization.owns(path)) return management(request, response)
    noteAddress(response, path)
    authorization.handle(request, response)
  }
  listening.answerWith(telemetry.observed('authorization', app.log, settings.logLevel, answer))
  const close = async () => {
    await authorization.close()
    await app.close()
    await mail.close()
  }
  return { log: app.log, close }
}
