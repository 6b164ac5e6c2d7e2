/** Wires all parts together: which handler answers which path. */
import type { RequestListener } from 'node:http'
import { getHeapStatistics } from 'node:v8'
import compress from '@fastify/compress'
import proxyAddress from '@fastify/proxy-addr'
import { contractVersion } from '@querent/contract/paths'
import type { FastifyBaseLogger } from 'fastify'
import { type Backups, openBackups } from '#backup/write'
import { documentPaths } from '#documents/openapi'
import { proposeForFile } from '#documents/proposals/propose-for-file'
import { isDocumentsUrl, registerDocuments } from '#documents/route'
import type { Engine } from '#engines/engine'
import { refuseLostDocuments } from '#engines/lost-documents'
import { limitBodies } from '#http/body-limit'
import { compressibleTypes, encodings } from '#http/compression'
import { registerConsole } from '#http/console'
import { registerDemoPage } from '#http/demo-page'
import { type Origins, openOrigins } from '#http/origins'
import { createReplySizes } from '#http/reply-size'
import { answerNotFound, type ListeningServer, openApp } from '#http/server'
import { readNodeChecks } from '#manage/diagnosis'
import { describeListening, type NodeReport, noNodeReport, openNodeReport } from '#manage/node-report'
import { registerManagement } from '#manage/register'
import { openInteractions } from '#oauth/interactions/interactions'
import { noSuchPath } from '#query/address'
import { serviceOpenApi } from '#query/openapi/service-document'
import { findPostRequest } from '#query/post-requests'
import { registerQueries, rewriteQueryUrl } from '#query/route'
import type { Storage } from '#storage/db'
import { type Directory, openDirectory } from '#storage/directory'
import type { Locks } from '#storage/locks'
import { openDomainChecks } from './accounts/domain-checks.ts'
import { createDomainDns } from './accounts/domain-dns.ts'
import { openMailer } from './accounts/mail.ts'
import { hashPassword } from './accounts/password-hash.ts'
import { openSecurityNotices } from './accounts/security-notices.ts'
import type { AppSettings } from './app-settings.ts'
import { type Bearer, openBearer } from './authz/bearer.ts'
import { countRefusals, openRefusalLog, type RefusalLog } from './authz/refusal-log.ts'
import { registerResourceMetadata } from './authz/resource-metadata.ts'
import { openSignInLog } from './authz/sign-in-log.ts'
import { createUsedProofs } from './authz/used-proofs.ts'
import type { Collections } from './collections/collections.ts'
import { openAtStartMax, openCollections } from './collections/generations.ts'
import { computeGraceMs } from './collections/grace-period.ts'
import { createLiveInfo } from './collections/live-info.ts'
import { type OpenEmbedding, openEmbedding } from './embedding/open-embedding.ts'
import { Problem } from './errors.ts'
import { refuseRequest } from './http/parser-errors.ts'
import { servePublicJson } from './http/public-json.ts'
import type { KeyRotation } from './keys/key-rotation.ts'
import type { Keyring } from './keys/keyring.ts'
import { createProviderSecrets } from './keys/provider-secrets.ts'
import { createRecordEncryption } from './keys/record-encryption.ts'
import { createUnreadableCount } from './keys/unreadable-secrets.ts'
import { answerBrowsers } from './oauth/pages/query-service-page.ts'
import { encodedBodyRefusal, isEncoded } from './oauth/provider/endpoint-routing.ts'
import { isFromBrowser } from './oauth/provider/page-replies.ts'
import { openAuthorizationServer } from './oauth/provider/provider.ts'
import { describeAgent } from './oauth/sessions/session-device.ts'
import { type Counters, createCounters, increment } from './telemetry/counters.ts'
import { logRebuilds } from './telemetry/rebuild-log.ts'
import { setRoute } from './telemetry/request-attributes.ts'
import type { Telemetry } from './telemetry/telemetry.ts'
import { type Activity, openActivity } from './usage/activity.ts'
import { openUsageLog, type UsageLog } from './usage/usage-log.ts'

/** Share of V8's heap limit for the directory. V8 lowers the limit in containers with little memory. */
const directoryHeapShare = 1 / 2

/** Parts that both services share. */
interface SharedServices {
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
  embedding: OpenEmbedding
  backups: Backups
  origins: Origins
  counts: Counters
  telemetry: Telemetry
  nodeReport: NodeReport
}

export interface App {
  directory: Pick<Directory, 'isFresh'>
  log: FastifyBaseLogger
  /** Lets running requests finish, then closes what this module opened. */
  close(): Promise<void>
}

/** Serves queries and documents on one listener, tokens and management on the other. Either may be undefined. */
export const openServices = async (
  parts: {
    storage: Storage
    engine: Engine
    keyring: Keyring
    keyRotation: KeyRotation
    /** Undefined if no other node uses these documents. */
    locks: Locks | undefined
    /** Key of the server if it is in the data folder, so that backups include it. */
    ownKey: Buffer | undefined
    telemetry: Telemetry
    version: string
    /** Returns the origin of a port that the server listens on. */
    boundOrigin(port: number): string
    /** Whether another thread of this process reports the node. */
    isReported?: boolean
  },
  listening: { query: ListeningServer | undefined; authorization: ListeningServer | undefined },
  settings: AppSettings,
): Promise<App> => {
  const { storage, keyring, keyRotation, locks, ownKey, telemetry, version } = parts
  const { engine, lostDocuments } = refuseLostDocuments(parts.engine)
  const { baseUrl, authUrl } = settings
  const directory = openDirectory(
    storage,
    settings.staleSeconds * 1000,
    getHeapStatistics().heap_size_limit * directoryHeapShare,
  )
  const bearer = openBearer({ keyring, directory, usedProofs: createUsedProofs(storage), baseUrl, authUrl })
  const counts = createCounters()
  telemetry.setSources({ counts, storage, directory, bearer, engine })
  const usageLog = openUsageLog(storage, keyring.derive('query log'))
  const refusalLog = countRefusals(openRefusalLog(storage), counts, usageLog)
  const activity = openActivity(storage)
  const collections = await openCollections({
    storage,
    engine,
    lostDocuments,
    locks,
    graceMs: computeGraceMs(settings),
    mayBeAway: listening.query === undefined,
    openAtStart: Math.min(openAtStartMax, settings.openCollections),
  })
  const embedding = openEmbedding({ storage, engine, collections, locks, settings })
  const origins = await openOrigins(storage)
  const signing = listening.authorization && settings
  const description = { ...describeListening(listening, parts.boundOrigin), version }
  const readChecks = () =>
    readNodeChecks(
      storage,
      { ping: engine.ping, data: settings.data, limitWarnings: settings.limitWarnings },
      signing,
    )
  const nodeReport = parts.isReported ? noNodeReport : openNodeReport(storage, description, readChecks)
  const shared: SharedServices = {
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
    embedding,
    backups: openBackups({ storage, engine, collections, keyring, ownKey }),
    origins,
    counts,
    telemetry,
    nodeReport,
  }
  const services = [
    listening.query && (await serveQueries(shared, listening.query, settings)),
    listening.authorization && (await serveAuthorization(shared, listening.authorization, settings)),
  ].filter(service => service !== undefined)
  const [{ log }] = services as [RunningService]
  usageLog.onLoss = loss => log.warn(loss, 'these queries are missing in the usage figures')
  keyring.setLogger(log)
  shared.backups.setLogger(log)
  if (!parts.isReported) embedding.start(log)
  keyRotation.onKeyChange(done => log.info(done, 'kid' in done ? 'key withdrawn' : 'keys rotated'))
  return {
    directory,
    log,
    async close() {
      await Promise.all([listening.query?.close(), listening.authorization?.close()])
      await Promise.all(services.map(service => service.close()))
      await nodeReport.close()
      await refusalLog.close()
      await usageLog.close()
      await Promise.all([activity.close(), embedding.close()])
      await collections.close()
      origins.close()
      directory.close()
    },
  }
}

interface RunningService {
  log: FastifyBaseLogger
  close(): Promise<unknown>
}

const serveQueries = async (
  shared: SharedServices,
  listening: ListeningServer,
  settings: AppSettings,
): Promise<RunningService> => {
  const { storage, directory, bearer, refusalLog, usageLog, activity, engine, collections, origins } = shared
  const { counts, telemetry } = shared
  const { mixin } = telemetry
  const { app, listener } = openApp(listening, { ...settings, mixin, rewriteUrl: rewriteQueryUrl })
  const { baseUrl, authUrl } = settings
  logRebuilds(engine, storage, app.log)
  app.setNotFoundHandler(answerBrowsers(settings, answerNotFound(noSuchPath)))
  await app.register(compress, {
    encodings,
    customTypes: compressibleTypes,
    globalDecompression: false,
  })
  if (settings.isDemo) await registerDemoPage(app)
  registerResourceMetadata(app, { baseUrl, authUrl })
  const openApi = serviceOpenApi({ baseUrl, authUrl }, documentPaths())
  servePublicJson(app, `/${contractVersion}/openapi.json`, () => openApi)
  const isTrusted = proxyAddress.compile(settings.trustedProxy)
  const openReplySize = createReplySizes()
  const withQueries = registerQueries(app, {
    bearer,
    directory,
    refusalLog,
    usageLog,
    activity,
    origin: baseUrl,
    engine,
    ...shared.embedding,
    generation: collections.resolve,
    origins,
    authUrl,
    clientAddress: request => proxyAddress(request, isTrusted),
    cursorKey: shared.keyring.derive('page cursor'),
    queryTimeoutMs: settings.queryTimeoutMs,
    queryShortcut: settings.queryShortcut,
    isDiskFull: () => storage.disk?.().isFull === true,
    requestsPerMinute: settings.rateLimit,
    requestCounter: settings.requestCounter,
    // Each thread has its share.
    concurrentMax: Math.ceil(settings.queriesAtOnce / settings.workers),
    waitingMax: Math.ceil(settings.queriesWaiting / settings.workers),
    counts,
    openReplySize,
  })
  await registerDocuments(app, {
    storage,
    directory,
    bearer,
    refusalLog,
    usageLog,
    activity,
    engine,
    embedding: shared.embedding.embedding,
    collections,
    origins,
    baseUrl,
    authUrl,
    cursorKey: shared.keyring.derive('page cursor'),
    counts,
    openReplySize,
  })
  await app.ready()
  const limited = limitBodies(
    {
      // Addresses of POST requests answer every other method with 405, whatever the body.
      isBodyless: ({ method = '', url = '' }) => bodylessMethods.has(method) && !findPostRequest(url),
      isStream: ({ method, url = '' }) => method === 'POST' && isDocumentsUrl(url),
    },
    withQueries(listener()),
  )
  listening.setListener(telemetry.observeRequests('query', app.log, settings.logLevel, limited))
  return { log: app.log, close: () => app.close() }
}

const bodylessMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS'])

const serveAuthorization = async (
  shared: SharedServices,
  listening: ListeningServer,
  settings: AppSettings,
): Promise<RunningService> => {
  const { counts, telemetry } = shared
  const { app, listener } = openApp(listening, { ...settings, mixin: telemetry.mixin })
  const { storage, directory, keyring, keyRotation, bearer } = shared
  const { refusalLog, usageLog, activity, engine, collections, backups, origins, nodeReport } = shared
  const { baseUrl, authUrl, accessTokenAlgorithm, signInThrottle, invitationThrottle } = settings
  const limits = { signInThrottle, invitationThrottle, passwordLengthMin: settings.passwordLengthMin }
  const mail = openMailer(settings, {
    storage,
    encryption: createRecordEncryption(keyring, 'mails'),
    log: app.log,
    count: outcome => increment(counts.mails, outcome),
  })
  counts.mailBacklog = mail.backlog
  const securityNotices = openSecurityNotices(storage, mail, authUrl)
  const signInLog = openSignInLog({ storage, days: settings.signInLogDays, describeAgent })
  const domainDns = createDomainDns(settings.dnsServers)
  const isTrusted = proxyAddress.compile(settings.trustedProxy)
  const authorization = await openAuthorizationServer({
    storage,
    directory,
    keyring,
    bearer,
    authUrl,
    baseUrl,
    accessTokenAlgorithm,
    tokenShortcut: settings.tokenShortcut,
    log: app.log,
    origins,
    signInThrottle,
    nativeSchemes: settings.nativeSchemes,
    documentFetch: { internalHosts: settings.internalHosts },
    ...(settings.openRegistration !== undefined && { openRegistration: settings.openRegistration }),
    logoutRequests: { internalHosts: settings.internalHosts },
    clientAddress: request => proxyAddress(request, isTrusted),
    counts,
    usageLog,
    signInLog,
    interactions: parts => openInteractions(parts, { mail, securityNotices, ...limits }),
  })
  app.setNotFoundHandler(async (request, reply) => {
    if (!isFromBrowser(request.raw)) return answerNotFound()(request, reply)
    reply.hijack()
    authorization.handle(request.raw, reply.raw)
  })
  await registerConsole(app, { baseUrl })
  await registerManagement(app, {
    providerSecrets: createProviderSecrets(keyring),
    countUnreadable: createUnreadableCount(keyring),
    domainDns,
    checkIssuer: authorization.checkIssuer,
    storage,
    directory,
    bearer,
    refusalLog,
    usageLog,
    activity,
    authUrl,
    baseUrl,
    nativeSchemes: settings.nativeSchemes,
    collections,
    vectors: { embedders: shared.embedding.embedders, missing: engine.missingForVectors },
    backups,
    propose: proposeForFile,
    diagnostics: {
      live: createLiveInfo(collections, engine),
      ping: engine.ping,
      data: settings.data,
      limitWarnings: settings.limitWarnings,
      accessTokenAlgorithm,
      keyRotationDays: settings.keyRotationDays,
      canMail: mail.isAvailable,
    },
    nodes: nodeReport,
    hashPassword,
    keyRotation,
    mail,
    securityNotices,
    signInLog,
    ...limits,
    clientAddress: request => request.ip,
    isTrustedProxy: address => isTrusted(address, 0),
  })
  await app.ready()
  const management = listener()
  // The library reads bodies itself, so its paths never reach Fastify.
  const answer: RequestListener = (request, response) => {
    const [path = '/'] = (request.url ?? '/').split('?', 1)
    if (!authorization.owns(path)) {
      if (!isEncoded(request)) return management(request, response)
      const { headers, description } = encodedBodyRefusal
      return refuseRequest(response, new Problem('unsupported-media-type', description, { headers }))
    }
    setRoute(response, path)
    authorization.handle(request, response)
  }
  const limited = limitBodies({ answer: authorization.answerLate }, answer)
  listening.setListener(telemetry.observeRequests('authorization', app.log, settings.logLevel, limited))
  const domainChecks = openDomainChecks({ storage, domainDns, mail, authUrl, log: app.log })
  const close = async () => {
    for (const part of [domainChecks, authorization, app, signInLog, securityNotices, mail])
      await part.close()
  }
  return { log: app.log, close }
}
